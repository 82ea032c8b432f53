import { rawAt } from './raw-at.ts';
import type { Subject } from './subject.ts';

/** `raw` without the compression that the platform adds to sockets of which nothing is said. */
export const rawPlain: Subject = rawAt('raw-plain', 'raw-plain');
