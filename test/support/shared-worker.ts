import { inject } from 'vitest';
import type {} from './shared-worker-setup.ts';

/** The Worker that all files of a run share. Whoever kills or restarts a Worker has one of their own. */
export interface SharedWorker {
  readonly port: number;
  /** The address of a path, for sockets; names of objects, which end it, are those of this file alone. */
  url(path: string): string;
}

/** Returns the Worker with all objects that tests call from Node; starts it if this file is the first to ask. */
export async function sharedWorker(): Promise<SharedWorker> {
  const port: number = await (await fetch(inject('sharedWorker'))).json();
  const prefix = crypto.randomUUID().slice(0, 8);
  return {
    port,
    url: (path) => `ws://127.0.0.1:${port}${path.replace(/(?<=^\/.+\/)(?=[^/]+$)/, `${prefix}-`)}`,
  };
}
