// Replacements for platforms other than the Workers runtime, so that code written for it can at least be imported.
import type * as workers from 'cloudflare:workers';

/** The base class of Durable Objects, which exist in the Workers runtime only. */
export const DurableObject = class DurableObject {
  constructor() {
    throw new Error(
      'Durable Objects run in the Workers runtime; to serve a target elsewhere, use @lumenize/rpc/memory',
    );
  }
} as unknown as typeof workers.DurableObject;

/** The base class of a Worker's entrypoints, which exist in the Workers runtime only. */
export const WorkerEntrypoint = class WorkerEntrypoint {
  constructor() {
    throw new Error('Entrypoints run in the Workers runtime; to serve a target elsewhere, use @lumenize/rpc/memory');
  }
} as unknown as typeof workers.WorkerEntrypoint;
