import fc from 'fast-check';
import { type Coverage, cover } from './coverage.ts';
import { type Run, type RunOptions, runProgram } from './driver/run-program.ts';
import { check } from './model/check.ts';
import { programs } from './programs/arbitrary.ts';
import type { Program } from './programs/program.ts';
import type { Fault, World } from './world.ts';

/** Opens a new world for a program. */
export type OpenWorld = (program: Program) => Promise<World>;

/** The outcome of a program. */
export interface Outcome {
  readonly run: Run | undefined;
  readonly wrong: readonly string[];
  readonly traceHash: string | undefined;
}

/** The totals of many programs. */
export interface Totals {
  programs: number;
  scenarios: number;
  calls: number;
  faults: number;
  readonly coverage: Coverage;
}

export interface Failure {
  /** The seed. Together with the path, it draws the program again. */
  readonly seed: number;
  readonly path: string;
  /** The program, as short as it could be made. */
  readonly program: Program;
  readonly wrong: readonly string[];
}

/** The number of programs that are drawn from one seed. */
const BATCH = 50;

/** Options for drawing programs of all kinds. */
export interface ArbitraryOptions {
  readonly longestMs?: number;
}

/**
 * Returns the arbitrary for programs: some without faults, and some with faults of the network, of the object, or of
 * all kinds.
 */
export function arbitraryPrograms({ longestMs = 400 }: ArbitraryOptions = {}): fc.Arbitrary<Program> {
  const network = ['cut', 'freeze', 'delay', 'upgrade', 'slow'] as const;
  const object = ['evict', 'crash', 'deploy', 'close'] as const;
  const rare = ['disk', 'clock', 'offline', 'sleep'] as const;
  const draw = (...faults: readonly Fault['kind'][]) => programs({ longestMs, mostSteps: 16, faults });
  const withChanges = programs({ longestMs, mostSteps: 16, faults: ['cut', 'evict'], changes: true });
  return fc.oneof(
    { weight: 2, arbitrary: draw() },
    { weight: 3, arbitrary: draw('cut') },
    { weight: 2, arbitrary: draw(...network) },
    { weight: 2, arbitrary: draw('evict') },
    { weight: 2, arbitrary: draw('cut', 'evict', 'crash', 'deploy') },
    { weight: 1, arbitrary: draw(...object) },
    { weight: 1, arbitrary: draw(...network, ...object, ...rare) },
    // An answer that is under way is lost with the version of the class that gave it.
    { weight: 1, arbitrary: draw('deploy', 'freeze', 'slow') },
    { weight: 2, arbitrary: withChanges },
  );
}

/** Runs one program in a world of its own, and checks it. */
export async function runOnce(program: Program, open: OpenWorld, options: RunOptions): Promise<Outcome> {
  const world = await open(program);
  const uncaught: string[] = [];
  const note = (error: unknown) => uncaught.push(`nobody caught ${error instanceof Error ? error.stack : error}`);
  process.on('uncaughtException', note);
  try {
    const run = await runProgram(program, world, options);
    const { traceHash } = world;
    return { run, wrong: [...check(program, run, await world.end()), ...uncaught], traceHash };
  } catch (error) {
    const { traceHash } = world;
    const wrong = [`the run itself failed: ${error instanceof Error ? error.stack : error}`, ...(await world.end())];
    return { run: undefined, wrong: [...wrong, ...uncaught], traceHash };
  } finally {
    process.off('uncaughtException', note);
  }
}

/**
 * Runs the programs of a seed until one fails or `goesOn` returns false. A failing program is shortened for `shortenMs`
 * milliseconds.
 */
export async function searchSeed(
  seed: number,
  open: OpenWorld,
  options: RunOptions & { readonly shortenMs: number; readonly arbitrary: fc.Arbitrary<Program> },
  totals: Totals,
  goesOn: () => boolean,
): Promise<Failure | undefined> {
  let failedAt: number | undefined;
  let wrong: readonly string[] = [];
  const property = fc.asyncProperty(options.arbitrary, async (program) => {
    if (!goesOn() && failedAt === undefined) return;
    // A program that is not tried counts as passing, which ends the shortening.
    if (failedAt !== undefined && performance.now() > failedAt + options.shortenMs) return;
    const outcome = await runOnce(program, open, options);
    totals.programs++;
    totals.calls += outcome.run?.history.calls.length ?? 0;
    totals.faults += Object.values(outcome.run?.history.faults ?? {}).reduce((sum, count) => sum + count, 0);
    if (outcome.run && failedAt === undefined) cover(totals.coverage, outcome.run);
    if (outcome.wrong.length === 0) return;
    failedAt ??= performance.now();
    wrong = outcome.wrong;
    throw new Error(wrong.join('\n'));
  });
  const details = await fc.check(property, { seed, numRuns: BATCH });
  if (!details.failed) return undefined;
  return { seed, path: details.counterexamplePath ?? '', program: details.counterexample![0], wrong };
}
