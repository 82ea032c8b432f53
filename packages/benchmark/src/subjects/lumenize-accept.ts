import { lumenizeAt } from './lumenize-at.ts';
import type { Subject } from './subject.ts';

/** Lumenize RPC with hibernation off, on the socket kind that Cap'n Web uses. */
export const lumenizeAccept: Subject = lumenizeAt('lumenize-accept', 'counter-accept', 'gateway-accept');
