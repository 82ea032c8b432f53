import type { Pair } from '../blocks/arms.ts';
import type { Arm } from '../load/plan.ts';
import { FEATURES, type Feature } from './feature.ts';

export const FEATURE_ARMS: readonly Arm<Feature>[] = FEATURES.map((feature) => ({ id: feature, subject: feature }));

/** `base` against itself: an effect found here is the method's own. */
export const FEATURE_CONTROL: Arm<Feature> = { id: 'base-again', subject: 'base' };

/** Each feature against `base`. */
export const FEATURE_PAIRS: readonly Pair[] = FEATURES.filter((feature) => feature !== 'base').map((feature) => ({
  subject: feature,
  baseline: 'base',
}));
