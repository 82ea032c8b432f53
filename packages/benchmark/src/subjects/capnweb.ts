import { capnwebAt } from './capnweb-at.ts';
import type { Subject } from './subject.ts';

/** Cap'n Web as it is shipped. */
export const capnweb: Subject = capnwebAt('capnweb', 'capnweb');
