/** How much the performance suite is to do: the short profile with an entry in the log, or one quick block each. */
export type PerformanceMode = 'measure' | 'check';

declare module 'vitest' {
  interface ProvidedContext {
    performanceMode: PerformanceMode;
  }
}

/**
 * Tells by a command line whether to measure: only where someone has asked for it by name, as in `vitest run performance`, and
 * never in continuous integration. For the process that was given that command line: tests run in another one.
 */
export function performanceMode(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): PerformanceMode {
  const named = (arg: string) => /^(.*\/)?performance(\.test(\.ts)?)?$/.test(arg);
  // `--project performance` chooses the project, as continuous integration may; it does not ask for a measurement.
  const asked = args.some((arg, i) => named(arg) && args[i - 1] !== '--project');
  const inCi = Boolean(env.CI) && env.CI !== 'false' && env.CI !== '0';
  return asked && !inCi ? 'measure' : 'check';
}
