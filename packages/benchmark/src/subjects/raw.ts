import { rawAt } from './raw-at.ts';
import type { Subject } from './subject.ts';

/** Hand-written JSON over a hibernating socket: the floor that a library can be measured against. */
export const raw: Subject = rawAt('raw', 'raw');
