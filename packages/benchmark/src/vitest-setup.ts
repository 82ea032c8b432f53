import type { TestProject } from 'vitest/node';

/** How much the performance suite is to do: the short profile with an entry in the log, or one quick block each. */
export type PerformanceMode = 'measure' | 'check';

declare module 'vitest' {
  interface ProvidedContext {
    performanceMode: PerformanceMode;
  }
}

/**
 * Vitest's global setup of the performance project. It runs in the process that was given the command line, where
 * `vitest run performance` can be told from a plain `vitest run`, and tells the suite, which runs in another process.
 */
export default function setup(project: TestProject): void {
  project.provide('performanceMode', performanceMode(process.argv.slice(2), process.env));
}

/** Measures only where someone has asked for it by name, and never in continuous integration. */
export function performanceMode(args: readonly string[], env: NodeJS.ProcessEnv): PerformanceMode {
  const named = (arg: string) => /^(.*\/)?performance(\.test(\.ts)?)?$/.test(arg);
  // `--project performance` chooses the project, as continuous integration may; it does not ask for a measurement.
  const asked = args.some((arg, i) => named(arg) && args[i - 1] !== '--project');
  const inCi = Boolean(env.CI) && env.CI !== 'false' && env.CI !== '0';
  return asked && !inCi ? 'measure' : 'check';
}
