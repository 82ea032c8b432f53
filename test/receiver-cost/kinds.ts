import { FRAME_KINDS } from './frames.ts';
import type { CostKind } from './kind.ts';
import { REFERENCE_KINDS } from './references.ts';
import { VALUE_KINDS } from './values.ts';
import { WAITING_KINDS } from './waiting.ts';

/** All kinds of input, each as it costs the most. */
export const KINDS: readonly CostKind[] = [...VALUE_KINDS, ...REFERENCE_KINDS, ...FRAME_KINDS, ...WAITING_KINDS];
