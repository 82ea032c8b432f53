import { lumenizeAt } from './lumenize-at.ts';
import type { Subject } from './subject.ts';

/** Lumenize RPC with a topic whose events are stored in batches, after they were sent. */
export const lumenizeBatches: Subject = lumenizeAt('lumenize-batches', 'counter-batches');
