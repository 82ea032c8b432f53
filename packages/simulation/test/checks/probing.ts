import type { Stub } from '@lumenize/rpc';
import { createSimulatedWorld, type SimulatedWorld, type SimulatedWorldOptions } from '../../src/simulated-world.ts';
import type { CounterApi } from '../worker/counter.ts';

export type Checks = Readonly<Record<string, () => Promise<void>>>;

/** A world with the object of probes, and short ways to what is done with it. */
export interface Probing {
  readonly world: SimulatedWorld;
  get(path: string): Promise<unknown>;
  log(): Promise<unknown[]>;
  /** Opens a socket of a client, and notes what it is told. */
  socket(
    client: number,
    path?: string,
  ): Promise<{ send(text: string): void; close(code?: number): void; told: unknown[] }>;
}

/** Runs a check in a world with the object of probes. */
export async function probing<Result>(
  check: (probing: Probing) => Promise<Result>,
  options: Partial<SimulatedWorldOptions> = {},
  seed = 1,
): Promise<Result> {
  const world = await createSimulatedWorld(seed, { entry: 'packages/simulation/test/probes/worker.ts', ...options });
  const get = async (path: string) => {
    const response = await world.request(`/probe/${path}`);
    return response.ok ? response.json() : response.status;
  };
  try {
    return await world.run(() =>
      check({
        world,
        get,
        log: async () => (await get('log')) as unknown[],
        async socket(client, path = 'socket') {
          const socket = world.openSocket(client, `/probe/${path}`);
          const told: unknown[] = [];
          await new Promise<void>((resolve) => {
            socket.addEventListener('open', () => resolve());
            socket.addEventListener('close', ({ code }: { code: number }) => {
              told.push(code);
              resolve();
            });
          });
          socket.addEventListener('message', ({ data }: { data: string }) => told.push(data));
          return { send: (text) => socket.send(text), close: (code) => socket.close(code), told };
        },
      }),
    );
  } finally {
    await world.end();
  }
}

/** Runs a check in a world with the counter, which the library serves. */
export async function counting<Result>(
  check: (world: SimulatedWorld, counter: Stub<CounterApi>) => Promise<Result>,
  options: Partial<SimulatedWorldOptions> = {},
  seed = 1,
): Promise<Result> {
  const world = await createSimulatedWorld(seed, { entry: 'packages/simulation/test/worker/counter.ts', ...options });
  try {
    return await world.run(() => check(world, world.connect(0) as Stub<CounterApi>));
  } finally {
    await world.end();
  }
}
