import { rawAt } from './raw-at.ts';
import type { Subject } from './subject.ts';

/** Hand-written JSON over an `accept()`ed socket. */
export const rawAccept: Subject = rawAt('raw-accept', 'raw-accept');
