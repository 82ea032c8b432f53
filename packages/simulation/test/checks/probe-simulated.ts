import { clientFetch } from '../../src/network/client-socket.ts';
import { createSimulatedWorld } from '../../src/simulated-world.ts';
import { bodyOf, EVICTING_PROBES, PROBES, type ProbeSocket } from '../probes/probes.ts';

const outcomes: Record<string, unknown> = {};
for (const [name, probe] of Object.entries({ ...PROBES, ...EVICTING_PROBES })) {
  if (process.argv[2] !== undefined && !name.includes(process.argv[2])) continue;
  const world = await createSimulatedWorld(1, { entry: 'packages/simulation/test/probes/worker.ts', maxDurableMs: 0 });
  outcomes[name] = await world
    .run(() =>
      probe({
        open: (path) => world.openSocket(0, `/probe/${path}`) as unknown as ProbeSocket,
        terminate: () => void world.fault({ kind: 'cut', client: 0 }),
        stall: () => void world.fault({ kind: 'freeze', client: 0, direction: 'down', ms: 60_000 }),
        get: async (path) => bodyOf(await world.request(`/probe/${path}`)),
        sleep: (ms) => world.sleep(ms),
        async leave(path) {
          const request = world.as(0, () => clientFetch(`https://simulated.test/probe/${path}`));
          await world.sleep(200);
          await world.fault({ kind: 'cut', client: 0 });
          await request.catch(() => {});
        },
        async evict() {
          await world.fault({ kind: 'evict' });
          while (world.isInMemory) await world.sleep(1);
        },
      }),
    )
    .catch((error) => error.message);
  if (process.argv[3]) console.log(world.trace.join('\n'));
  await world.end();
}
process.stdout.write(JSON.stringify(outcomes));
