import type { Case } from '../../../../test/contract/case.ts';
import type { CaseOutcome, ContractOptions } from '../../../../test/contract/run-case.ts';
import { loadLibrary } from '../../src/loading/library.ts';
import { createSimulatedWorld } from '../../src/simulated-world.ts';

/** Runs the contract's cases in simulated worlds, and says of each what became of it. */
const library = await loadLibrary();
// As code of clients: with the world's timers.
const { CASES } = (await library.importClient('test/contract/cases/all.ts')) as { CASES: readonly Case[] };
const { runCase } = (await library.importClient('test/contract/run-case.ts')) as {
  runCase(which: Case, connect: (options?: object) => object, options: ContractOptions): Promise<CaseOutcome>;
};
const { STATELESS } = (await library.importClient('test/contract/stateless.ts')) as {
  STATELESS: ContractOptions['lacks'];
};

const { connection, RpcTarget, withOptions } = library.client;
const counts = (stub: object) => connection(stub).statistics;

const [binding = 'contract', over = 'socket', only = ''] = process.argv.slice(2) as [string, 'socket' | 'http', string];
const lacks = over === 'http' ? STATELESS : {};
const outcomes: Record<string, CaseOutcome> = {};
for (const [seed, which] of CASES.entries()) {
  const name = `${which.part}: ${which.name}`;
  // What is large takes as long as all else together, and goes the same way: try it by its name.
  if ((only === '' && which.part === 'large values') || !name.includes(only)) continue;
  const world = await createSimulatedWorld(seed, { entry: 'packages/simulation/test/worker/contract.ts', binding });
  const connect = (options?: object) => world.connect(0, options, over) as object;
  outcomes[name] = await world.run(() =>
    world.as(0, () => runCase(which, connect, { library: { counts, RpcTarget, withOptions }, lacks })),
  );
  await world.end();
}
process.stdout.write(JSON.stringify(outcomes));
