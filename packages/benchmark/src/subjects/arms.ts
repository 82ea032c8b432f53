import type { Arm } from '../engine/plan.ts';
import type { Compared } from '../statistics/comparison.ts';
import type { SubjectName } from './subject.ts';

/** Makes an arm of each subject, called as it is. */
export function armsOf<Subject extends SubjectName>(...subjects: readonly Subject[]): readonly Arm<Subject>[] {
  return subjects.map((subject) => ({ id: subject, subject }));
}

/** The subjects that take part in every scenario of the counter. */
export const MAIN_ARMS: readonly Arm<SubjectName>[] = armsOf(
  ...(['lumenize', 'lumenize-accept', 'capnweb', 'raw', 'raw-accept'] as const),
);

/** `lumenize` against itself: an effect found here is the method's own. */
export const CONTROL: Arm<SubjectName> = { id: 'lumenize-again', subject: 'lumenize' };

/** The others without the compression that the platform adds to their sockets, where it makes most of the difference. */
export const PLAIN_ARMS: readonly Arm<SubjectName>[] = armsOf('capnweb-plain', 'raw-plain');

/** Takes part in bursts only: with one call at a time it is `raw`. */
export const BURST_FLOOR: Arm<SubjectName> = { id: 'raw-one-frame', subject: 'raw-one-frame' };

/** Over a network that is far slower than they are: one for each kind of wire. */
export const REMOTE_ARMS: readonly Arm<SubjectName>[] = armsOf('lumenize', 'capnweb', 'raw');

/** The comparisons that most families draw, each where both arms took part. */
export const COMPARED: Compared<SubjectName> = {
  control: CONTROL,
  pairs: (
    [
      ['lumenize', 'capnweb', 'raw', 'capnweb-plain', 'raw-plain', 'raw-one-frame'],
      ['lumenize-accept', 'capnweb', 'raw-accept'],
      ['lumenize-batches', 'capnweb', 'raw'],
      ['lumenize-http', 'capnweb-http'],
      ['lumenize-port', 'capnweb-port', 'raw-port'],
      ['lumenize-native', 'native'],
    ] as const
  ).flatMap(([subject, ...baselines]) => baselines.map((baseline) => ({ subject, baseline }))),
};
