import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { serveWorker } from '../../../../test/support/workerd.ts';
import { bodyOf, EVICTING_PROBES, PROBES, type ProbeSocket, type ProbeWorld } from './probes.ts';

/** Runs all probes on workerd. */
export async function probeWorkerd(): Promise<Record<string, unknown>> {
  const folder = await mkdtemp(join(tmpdir(), 'lumenize-probes-'));
  const main = join(folder, 'main.js');
  await writeFile(main, withEviction(fileURLToPath(new URL('worker.ts', import.meta.url))));
  await using served = await serveWorker({
    main,
    compatibilityDate: '2026-10-15',
    compatibilityFlags: ['unsafe_module'],
    objects: { PROBE: 'Probe' },
  });
  const http = (path: string) => fetch(served.url(path).replace('ws', 'http'));
  const worldOf = (name: string): ProbeWorld => ({
    open: (path) => open(served.url(`/${name}/${path}`)),
    terminate: (socket) => (socket as unknown as WebSocket).terminate(),
    stall: (socket) => (socket as unknown as WebSocket).pause(),
    get: async (path) => bodyOf(await http(`/${name}/${path}`)),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    async leave(path) {
      const controller = new AbortController();
      const request = fetch(served.url(`/${name}/${path}`).replace('ws', 'http'), { signal: controller.signal });
      setTimeout(() => controller.abort(), 200);
      await request.catch(() => {});
    },
    async evict() {
      for (let attempt = 0; !(await http('/evict')).ok; attempt++) {
        if (attempt > 20) throw new Error('an object does not leave memory');
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  });
  const outcomes: [string, unknown][] = [];
  // First, while there are no sockets that hold objects in memory.
  for (const [number, [name, probe]] of Object.entries(EVICTING_PROBES).entries()) {
    outcomes.push([name, await probe(worldOf(`evicting-${number}`)).catch((error) => error.message)]);
  }
  const others = Object.entries(PROBES).map(
    async ([name, probe], number): Promise<[string, unknown]> => [name, await probe(worldOf(`${number}`))],
  );
  outcomes.push(...(await Promise.all(others)));
  await rm(folder, { recursive: true });
  return Object.fromEntries(outcomes);
}

function open(url: string): ProbeSocket {
  const socket = new WebSocket(url);
  // Else it is thrown; a close follows.
  socket.on('error', () => {});
  return socket as unknown as ProbeSocket;
}

function withEviction(entry: string): string {
  return `import worker from ${JSON.stringify(entry)};
export * from ${JSON.stringify(entry)};
export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname !== '/evict') return worker.fetch(request, env);
    const { default: unsafe } = await import(['workerd', 'unsafe'].join(':')); // not for the bundler to look for
    try {
      await unsafe.evictAllDurableObjects({ webSockets: 'hibernate' });
    } catch (error) {
      return new Response(String(error), { status: 503 });
    }
    return new Response();
  },
};
`;
}
