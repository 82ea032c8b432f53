import type { Arm } from './load/plan.ts';

const arm = (subject: Arm['subject']): Arm => ({ id: subject, subject });

/** The subjects that take part in every scenario. */
export const MAIN_ARMS: readonly Arm[] = [
  arm('lumenize'),
  arm('lumenize-accept'),
  arm('capnweb'),
  arm('raw'),
  arm('raw-accept'),
];

/** `lumenize` against itself: an effect found here is the method's own. */
export const CONTROL: Arm = { id: 'lumenize-again', subject: 'lumenize' };

/** Takes part in bursts only: with one call at a time it is `raw`. */
export const BURST_FLOOR: Arm = arm('raw-one-frame');

/** A subject and what it is compared with, by the ids of their arms. */
export interface Pair {
  readonly subject: string;
  readonly baseline: string;
}

/** The comparisons that a run draws, each where both arms took part. */
export const PAIRS: readonly Pair[] = [
  { subject: 'lumenize', baseline: 'capnweb' },
  { subject: 'lumenize', baseline: 'raw' },
  { subject: 'lumenize', baseline: 'raw-one-frame' },
  { subject: 'lumenize-accept', baseline: 'capnweb' },
  { subject: 'lumenize-accept', baseline: 'raw-accept' },
];
