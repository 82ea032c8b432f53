import { readMemory, readOpenFiles } from '@lumenize/hosts/process-memory';
import type { ObservedWorker } from '../hosts/observed-worker.ts';
import { ClientProcess } from '../load/conversation.ts';
import { expectAnswer } from '../scenarios/scenario.ts';
import type { SubjectName } from '../subjects/subject.ts';
import type { IdleArm } from './profile.ts';
import type { IdleReading, LoadReading, MemoryPoint } from './reading.ts';
import type { MemoryRequests } from './requests.ts';

/** Connections that call at once under load. */
export const LOAD_CONNECTIONS = 20;

/** How a launch is made: a fresh server, and the client's bundle. */
export interface MemoryLaunch {
  readonly serve: (options: { compressed: boolean }) => Promise<ObservedWorker>;
  readonly client: string;
}

/**
 * Opens connections to one object of a fresh workerd, and looks at its memory at each of the numbers, when garbage has
 * been collected. Rejects where a connection does not answer afterwards, where one that was to hibernate did not, and
 * where the system does not tell of processes.
 */
export async function idleLaunch(
  { id, subject, hibernates, compressed = false }: IdleArm,
  numbers: readonly number[],
  round: number,
  launch: MemoryLaunch,
): Promise<IdleReading> {
  const begun = performance.now();
  return withServer(launch, compressed, async (server, client, process) => {
    const started = performance.now();
    await server.collect();
    const { residentBytes: emptyBytes } = await readMemory(process);
    const points: MemoryPoint[] = [];
    for (const connections of numbers) {
      await client.ask('open', { url: server.url, subject, connections });
      if (hibernates) await server.evict();
      await server.collect();
      const { residentBytes } = await readMemory(process);
      points.push({ connections, residentBytes, openFiles: (await readOpenFiles(process)).open });
    }
    const livesBefore = await server.lives();
    const { answered } = await client.ask('call', {});
    expectAnswer('connections that answer', answered, numbers.at(-1)!);
    expectAnswer('objects made to answer', (await server.lives()) - livesBefore, hibernates ? 1 : 0);
    return {
      ...{ arm: id, subject, hibernates, round, emptyBytes, points },
      startMs: started - begun,
      measuredMs: performance.now() - started,
      client: await client.ask('health', {}),
    };
  });
}

/** Lets connections call as fast as they are answered, and looks at the most memory that workerd has had resident. */
export function loadLaunch(subject: SubjectName, forMs: number, launch: MemoryLaunch): Promise<LoadReading> {
  return withServer(launch, false, async (server, client, process) => {
    await server.collect();
    const { residentBytes: emptyBytes } = await readMemory(process);
    await client.ask('open', { url: server.url, subject, connections: LOAD_CONNECTIONS });
    const { calls } = await client.ask('load', { forMs });
    const { peakBytes } = await readMemory(process);
    await server.collect();
    const { residentBytes: afterBytes } = await readMemory(process);
    return { subject, emptyBytes, peakBytes, afterBytes, calls };
  });
}

async function withServer<T>(
  { serve, client }: MemoryLaunch,
  compressed: boolean,
  work: (server: ObservedWorker, client: ClientProcess<MemoryRequests>, process: number) => Promise<T>,
): Promise<T> {
  const server = await serve({ compressed });
  const clients = new ClientProcess<MemoryRequests>(client);
  try {
    const process = await server.processId();
    if (process === undefined) throw new Error('there is no /proc that says what memory workerd has');
    return await work(server, clients, process);
  } finally {
    clients.stop();
    await server.stop();
  }
}
