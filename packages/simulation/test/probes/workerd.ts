import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { serveWorker } from '../../../../test/support/workerd.ts';
import { bodyOf, PROBES, type ProbeSocket } from './probes.ts';

/** Runs all probes on workerd. */
export async function probeWorkerd(): Promise<Record<string, unknown>> {
  await using served = await serveWorker({
    main: fileURLToPath(new URL('worker.ts', import.meta.url)),
    compatibilityDate: '2026-10-15',
    objects: { PROBE: 'Probe' },
  });
  const open = (url: string) => {
    const socket = new WebSocket(url);
    // Else it is thrown; a close follows.
    socket.on('error', () => {});
    return socket as unknown as ProbeSocket;
  };
  const outcomes = Object.entries(PROBES).map(async ([name, probe], number) => {
    const outcome = await probe({
      open: (path) => open(served.url(`/${number}/${path}`)),
      terminate: (socket) => (socket as unknown as WebSocket).terminate(),
      get: async (path) => bodyOf(await fetch(served.url(`/${number}/${path}`).replace('ws', 'http'))),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    });
    return [name, outcome] as const;
  });
  return Object.fromEntries(await Promise.all(outcomes));
}
