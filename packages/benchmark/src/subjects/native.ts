import { inWorker } from './in-worker.ts';
import type { Subject } from './subject.ts';

/** The platform's own RPC from a Worker to the same object. */
export const native: Subject = inWorker('native');
