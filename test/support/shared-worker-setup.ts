import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { serveHttp } from './serve-http.ts';
import { readWorker, type ServedWorker, serveWorker, testWorkerConfig } from './workerd.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the port of the Worker that all files of a run share. */
    sharedWorker: string;
  }
}

/** Vitest's global setup: starts the Worker when a file first asks for it, since most runs of single files need none. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let worker: Promise<ServedWorker> | undefined;
  const starter = await serveHttp(async () => {
    worker ??= serveSharedWorker();
    return Response.json((await worker).port);
  });
  project.provide('sharedWorker', starter.url);
  return async () => {
    await starter[Symbol.asyncDispose]();
    await (await worker)?.[Symbol.asyncDispose]();
  };
}

async function serveSharedWorker(): Promise<ServedWorker> {
  const worker = await readWorker(testWorkerConfig);
  return serveWorker({
    ...worker,
    main: fileURLToPath(new URL('../workerd/capnweb-worker.ts', import.meta.url)),
    objects: {
      ...worker.objects,
      FRONT: 'Front',
      BACK: 'Back',
      ADAPTER: 'AdapterObject',
      RULES: 'RulesObject',
    },
  });
}
