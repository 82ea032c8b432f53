import { linearRegression } from 'simple-statistics';
import { IdleSockets } from './idle-sockets.ts';
import { EVICT_PATH, IDLE_PATH, RAW_PATH } from './paths.ts';
import { ask, type Memory, serveHostileWorker, settledMemory } from './serve.ts';

/** Sockets of the library, or hibernating ones without it; that stay in memory, or hibernate. */
export interface IdleKind {
  of: 'lumenize' | 'raw';
  hibernates: boolean;
}

export const IDLE_KINDS: readonly IdleKind[] = [
  { of: 'lumenize', hibernates: false },
  { of: 'raw', hibernates: false },
  { of: 'lumenize', hibernates: true },
  { of: 'raw', hibernates: true },
];

/** What a connection costs, by the slope of the memory over the number of connections. */
export interface IdleCost extends IdleKind, Memory {
  points: ({ connections: number } & Memory)[];
  /** How many answered at the end, after waking where they hibernated. */
  answered: number;
}

const POINTS = 5;

/** Opens sockets to one object of a workerd of its own, and looks at its memory several times on the way. */
export async function measureIdle(kind: IdleKind, connections: number): Promise<IdleCost> {
  await using worker = await serveHostileWorker();
  using sockets = new IdleSockets(worker.url(kind.of === 'lumenize' ? IDLE_PATH : RAW_PATH));
  // What is loaded and made ready once is not what a connection costs.
  await sockets.grow(Math.ceil(connections / 10));
  const points: IdleCost['points'] = [];
  for (let point = 1; point <= POINTS; point++) {
    await sockets.grow(Math.ceil((connections * point) / POINTS));
    if (kind.hibernates) await ask(worker, EVICT_PATH);
    points.push({ connections: sockets.size, ...(await settledMemory(worker)) });
  }
  const answers = await sockets.call();
  return {
    ...kind,
    points,
    answered: [...answers.values()].reduce((sum, count) => sum + count, 0),
    residentBytes: linearRegression(points.map(({ connections, residentBytes }) => [connections, residentBytes])).m,
    heapBytes: linearRegression(points.map(({ connections, heapBytes }) => [connections, heapBytes])).m,
  };
}
