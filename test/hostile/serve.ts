import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readWorker, type ServedWorker, serveWorker } from '../support/workerd.ts';
import { COLLECT_PATH } from './paths.ts';

const config = fileURLToPath(new URL('../workerd/hostile/wrangler.toml', import.meta.url).href);

/** Serves the Worker of the hostile suite by a workerd of its own. */
export async function serveHostileWorker(): Promise<ServedWorker> {
  return serveWorker({ ...(await readWorker(config)), isInspected: true });
}

/** Asks the Worker for something that tests ask for. */
export async function ask({ port }: ServedWorker, path: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
}

/** Memory of a workerd when garbage has been collected, in bytes. */
export interface Memory {
  /** What of it is resident: its allocator keeps much that is no longer used. */
  residentBytes: number;
  /** What is alive of the Worker's heap. */
  heapBytes: number;
}

/** Collects garbage, twice, since some finds its end only after the first time; and looks what is left. */
export async function settledMemory(worker: ServedWorker): Promise<Memory> {
  for (let round = 0; round < 2; round++) await ask(worker, COLLECT_PATH);
  return { residentBytes: await worker.residentBytes(), heapBytes: (await heapUsage(worker)).usedSize };
}

/** What is alive of the Worker's heap, and of buffers that it holds, in bytes, when garbage has been collected. */
export async function aliveBytes(worker: ServedWorker): Promise<number> {
  for (let round = 0; round < 2; round++) await ask(worker, COLLECT_PATH);
  const { usedSize, backingStorageSize } = await heapUsage(worker);
  return usedSize + backingStorageSize;
}

interface HeapUsage {
  usedSize: number;
  backingStorageSize: number;
}

/** Asks the inspector. */
async function heapUsage({ inspectorPort }: ServedWorker): Promise<HeapUsage> {
  const targets = (await (await fetch(`http://127.0.0.1:${inspectorPort}/json`)).json()) as Record<string, string>[];
  const socket = new WebSocket(targets[0].webSocketDebuggerUrl);
  await once(socket, 'open');
  const answer = new Promise<HeapUsage>((resolve) =>
    socket.addEventListener('message', ({ data }) => {
      // What the Worker logs arrives here too.
      const { id, result } = JSON.parse(data);
      if (id === 1) resolve(result);
    }),
  );
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.getHeapUsage' }));
  try {
    return await answer;
  } finally {
    socket.close();
  }
}
