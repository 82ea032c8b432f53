import type { Arm } from '../load/plan.ts';

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

/** The others without the compression that the platform adds to their sockets, where it makes most of the difference. */
export const PLAIN_ARMS: readonly Arm[] = [arm('capnweb-plain'), arm('raw-plain')];

/** Takes part in bursts only: with one call at a time it is `raw`. */
export const BURST_FLOOR: Arm = arm('raw-one-frame');

/** Over one socket each, where a library can do the work at all. */
export const LIBRARY_ARMS: readonly Arm[] = [arm('lumenize'), arm('lumenize-accept'), arm('capnweb')];

/** With large values and streams: compression is most of what they cost. */
export const SIZE_ARMS: readonly Arm[] = [...LIBRARY_ARMS, arm('capnweb-plain')];

/** Over everything that carries calls. */
export const CARRIER_ARMS: readonly Arm[] = [
  ...LIBRARY_ARMS,
  arm('lumenize-http'),
  arm('capnweb-http'),
  arm('lumenize-port'),
  arm('capnweb-port'),
  arm('raw-port'),
  arm('lumenize-native'),
  arm('native'),
];

/** With events: topics that store each, topics that store them in batches, callbacks, and a frame to each socket. */
export const EVENT_ARMS: readonly Arm[] = [
  arm('lumenize'),
  arm('lumenize-batches'),
  arm('capnweb'),
  arm('raw'),
  ...PLAIN_ARMS,
];

/** Over a network that is far slower than they are: one for each kind of wire. */
export const REMOTE_ARMS: readonly Arm[] = [arm('lumenize'), arm('capnweb'), arm('raw')];

/** A subject and what it is compared with, by the ids of their arms. */
export interface Pair {
  readonly subject: string;
  readonly baseline: string;
}

/** The comparisons that a run draws, each where both arms took part. */
export const PAIRS: readonly Pair[] = [
  { subject: 'lumenize', baseline: 'capnweb' },
  { subject: 'lumenize', baseline: 'raw' },
  { subject: 'lumenize', baseline: 'capnweb-plain' },
  { subject: 'lumenize', baseline: 'raw-plain' },
  { subject: 'lumenize', baseline: 'raw-one-frame' },
  { subject: 'lumenize-accept', baseline: 'capnweb' },
  { subject: 'lumenize-accept', baseline: 'raw-accept' },
  { subject: 'lumenize-batches', baseline: 'capnweb' },
  { subject: 'lumenize-batches', baseline: 'raw' },
  { subject: 'lumenize-http', baseline: 'capnweb-http' },
  { subject: 'lumenize-port', baseline: 'capnweb-port' },
  { subject: 'lumenize-port', baseline: 'raw-port' },
  { subject: 'lumenize-native', baseline: 'native' },
];
