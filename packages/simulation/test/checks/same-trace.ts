import type { Stub } from '@lumenize/rpc';
import { createSimulatedWorld } from '../../src/simulated-world.ts';
import type { CounterApi } from '../worker/counter.ts';

/** What a run of the program came to. */
export interface Ran {
  readonly traceHash: string;
  readonly outcomes: unknown[];
  readonly left: readonly string[];
}

const entry = 'packages/simulation/test/worker/counter.ts';

/** A few calls, with a crash and a reconnect among them. */
async function run(seed: number): Promise<Ran> {
  const world = await createSimulatedWorld(seed, { entry });
  const outcomes = await world.run(async () => {
    const counter = world.connect(0) as Stub<CounterApi>;
    const first = await world.as(0, () => Promise.all([counter.increment(), counter.increment(), counter.value()]));
    const slow = world.as(0, () => counter.slow(500)).catch((error) => error.code);
    await world.sleep(100);
    await world.fault({ kind: 'crash', keepsCommits: false });
    const later = await world.as(0, () => counter.increment());
    const outcome = await slow;
    await world.calm();
    return [...first, later, outcome];
  });
  return { traceHash: world.traceHash, outcomes, left: await world.end() };
}

const ran: Ran[] = [];
for (const seed of process.argv.slice(2)) ran.push(await run(Number(seed)));
process.stdout.write(JSON.stringify(ran));
