import type { RunOptions } from './driver/run-program.ts';
import type { Library } from './loading/library.ts';
import type { OpenWorld } from './search.ts';
import { createSimulatedWorld } from './simulated-world.ts';
import type { WorkerdHost } from './workerd/workerd-host.ts';
import { WorkerdWorld } from './workerd/workerd-world.ts';

const NEXT = 'packages/simulation/programs/next.ts';
/** The versions of the Worker: the first one, and that of all deploys. */
const ENTRY = ['packages/simulation/programs/worker.ts', ...Array.from({ length: 100 }, () => NEXT)];

/** Options of programs on the simulated platform, where time costs nothing. */
export const SIMULATED: RunOptions = {
  patience: {
    maxWaitMs: 60_000,
    reconnect: { minDelayMs: 50, maxDelayMs: 1000, stableMs: 2000 },
    heartbeat: { intervalMs: 2000, timeoutMs: 1000 },
  },
  longestMs: 300_000,
};

/** Options of programs in workerd. */
export const REAL: RunOptions = {
  patience: {
    maxWaitMs: 10_000,
    reconnect: { minDelayMs: 20, maxDelayMs: 200, stableMs: 1000 },
    heartbeat: { intervalMs: 500, timeoutMs: 500 },
  },
  longestMs: 8000,
};

/** Returns a function that opens simulated worlds. `library` may have a planted defect. */
export function simulated(library?: Library): OpenWorld {
  return (program) => createSimulatedWorld(program.seed, { entry: ENTRY, binding: 'program', library });
}

/** Returns a function that opens worlds in a workerd process. */
export function inWorkerd(host: WorkerdHost): OpenWorld {
  return (program) => WorkerdWorld.open(host, program.clients.length);
}
