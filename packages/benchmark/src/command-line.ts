import type { Progress } from './engine/plan.ts';

const CLEAR_LINE = '\r\x1b[K';

/** Shows what is under way: by one line that changes where `stream` is a terminal, by one line each where it is not. */
export function showProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  const begun = performance.now();
  return {
    update(doing) {
      const line = `after ${Math.round((performance.now() - begun) / 1000)} s: ${doing}`;
      stream.write(stream.isTTY ? `${CLEAR_LINE}${line}` : `${line}\n`);
    },
    stop: () => void (stream.isTTY && stream.write(CLEAR_LINE)),
  };
}

/** Has a signal end the process by way of `exit`, so that what a run has made is removed; servers end by themselves with it. */
export function exitOnSignals(): void {
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
}

/** Resolves with what `choose` does; what it throws is told with how the command is used, and ends the process with 2. */
export async function chosenOr<Choice>(usage: string, choose: () => Choice): Promise<Awaited<Choice>> {
  try {
    return await choose();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`);
    return process.exit(2);
  }
}
