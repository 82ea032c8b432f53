import { FAMILY_HOSTS } from '../blocks/family-profiles.ts';
import type { BlockFindings } from '../blocks/record.ts';
import { runBlocks } from '../blocks/run-blocks.ts';
import { featureEntry } from '../features/entry.ts';
import { FEATURES } from '../features/feature.ts';
import { featureProfile } from '../features/profile.ts';
import type { Family } from './family.ts';

/** What each feature of Lumenize RPC adds to a call. */
export const FEATURE_COST: Family<BlockFindings> = {
  name: 'feature-cost',
  about: 'what authentication, validation, rate limits, exactly-once and tracing add to a call, one at a time',
  subjects: FEATURES,
  hosts: FAMILY_HOSTS,
  measure: (context) => runBlocks(featureProfile(context), context.seed, context.progress),
  entry: featureEntry,
};
