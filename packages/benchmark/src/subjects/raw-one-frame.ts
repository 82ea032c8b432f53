import { rawAt } from './raw-at.ts';
import type { Subject } from './subject.ts';

/** Hand-written JSON over a hibernating socket, with the calls of a turn in one frame: the floor of a burst. */
export const rawOneFrame: Subject = rawAt('raw-one-frame', 'raw', (client, n) => client.callInOneFrame(n, 'increment'));
