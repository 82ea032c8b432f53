import { inWorker } from './in-worker.ts';
import type { Subject } from './subject.ts';

/** Lumenize RPC from a Worker to an object, carried by the platform's own RPC. */
export const lumenizeNative: Subject = inWorker('lumenize-native');
