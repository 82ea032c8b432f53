import type { Arm } from '../engine/plan.ts';
import type { Compared } from '../statistics/comparison.ts';
import type { SubjectName } from './subject.ts';

/** Creates an arm for each subject, with the same name. */
export function armsOf<Subject extends SubjectName>(...subjects: readonly Subject[]): readonly Arm<Subject>[] {
  return subjects.map((subject) => ({ id: subject, subject }));
}

/** The subjects that take part in every scenario of the counter. */
export const MAIN_ARMS: readonly Arm<SubjectName>[] = armsOf(
  ...(['lumenize', 'lumenize-accept', 'capnweb', 'raw', 'raw-accept'] as const),
);

/** `lumenize` against itself. An effect found here comes from the method itself. */
export const CONTROL: Arm<SubjectName> = { id: 'lumenize-again', subject: 'lumenize' };

/**
 * The other subjects without the compression that the platform adds to their sockets, which makes most of the
 * difference.
 */
export const PLAIN_ARMS: readonly Arm<SubjectName>[] = armsOf('capnweb-plain', 'raw-plain');

/** The lower bound of a burst. It only takes part in bursts, because with one call at a time it is `raw`. */
export const BURST_FLOOR: Arm<SubjectName> = { id: 'raw-one-frame', subject: 'raw-one-frame' };

/** The arms for a network that is far slower than they are: one for each kind of wire format. */
export const REMOTE_ARMS: readonly Arm<SubjectName>[] = armsOf('lumenize', 'capnweb', 'raw');

/** The comparisons of most families. Each is made if both arms took part. */
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
