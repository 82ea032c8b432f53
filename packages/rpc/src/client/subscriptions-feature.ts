import { Feature } from '../session/feature.ts';

/** Subscriptions to topics. */
export const SUBSCRIPTIONS = new Feature('subscriptions', () => import('./subscriptions.ts'));
