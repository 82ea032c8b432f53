import { connectPort } from '@lumenize/rpc/port';
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Round } from './race.ts';
import type { Racer } from './racer.ts';
import type { ScenarioId } from './scenarios.ts';

/** How long a race is, if nobody stops it. */
export const ROUNDS = 12;
/** How long each calls in a round. */
export const BLOCK_MS = 150;

/** The race that this page runs, if any, and its rounds so far. */
export interface RaceRun extends Disposable {
  readonly rounds: ReadonlySignal<readonly Round[]>;
  readonly isRunning: ReadonlySignal<boolean>;
  /** What went wrong, if anything. */
  readonly problem: ReadonlySignal<string | undefined>;
  /** Begins anew. */
  start(scenario: ScenarioId): Promise<void>;
  stop(): void;
  /** Forgets the rounds. */
  clear(): void;
}

/** Makes what races, in a Worker of its own, with the counters of that name. The page calls it with this library too. */
export function createRaceRun(name: string): RaceRun {
  const rounds = signal<readonly Round[]>([]);
  const isRunning = signal(false);
  const problem = signal<string | undefined>();
  const worker = new Worker('race/race-worker.js', { type: 'module' });
  const racer = connectPort<Racer>(worker);
  // A Worker that cannot be loaded answers nothing.
  const failed = new Promise<never>((_resolve, reject) => {
    worker.addEventListener('error', ({ message }) => reject(new Error(message || 'its Worker could not be loaded')));
  });
  failed.catch(() => {});
  let controller = new AbortController();

  return {
    rounds,
    isRunning,
    problem,
    async start(scenario) {
      rounds.value = [];
      problem.value = undefined;
      isRunning.value = true;
      controller = new AbortController();
      const { signal } = controller;
      const add = (round: Round) => {
        // What was begun before may still tell of a round.
        if (!signal.aborted) rounds.value = [...rounds.value, round];
      };
      try {
        await Promise.race([racer.run({ scenario, name, rounds: ROUNDS, blockMs: BLOCK_MS }, add, signal), failed]);
      } catch (error) {
        if (!signal.aborted) problem.value = `The race ended early: ${error instanceof Error ? error.message : error}`;
      } finally {
        isRunning.value = false;
      }
    },
    stop: () => controller.abort(),
    clear() {
      rounds.value = [];
      problem.value = undefined;
    },
    [Symbol.dispose]() {
      controller.abort();
      worker.terminate();
    },
  };
}
