import { Feature } from '../session/feature.ts';

/**
 * Watching a connection, and making it again: loaded when the first one has opened, for without a network it is too late. Also
 * showing new tokens.
 */
export const RECOVERY = new Feature('connecting again', () => import('./recovery.ts'));
