import { lumenizeAt } from './lumenize-at.ts';
import type { Subject } from './subject.ts';

/** Lumenize RPC as it ships, over a hibernating socket. */
export const lumenize: Subject = lumenizeAt('lumenize', 'counter', 'gateway');
