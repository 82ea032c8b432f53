import { capnwebAt } from './capnweb-at.ts';
import type { Subject } from './subject.ts';

/**
 * Cap'n Web without the compression that the platform adds to sockets of which nothing is said: not as it is shipped, but
 * what somebody can make of it who knows.
 */
export const capnwebPlain: Subject = capnwebAt('capnweb-plain', 'capnweb-plain');
