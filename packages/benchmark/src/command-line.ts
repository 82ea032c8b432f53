import type { Progress } from './engine/plan.ts';

const CLEAR_LINE = '\r\x1b[K';

/** Shows the progress of a run: as one line that changes if `stream` is a terminal, and as separate lines otherwise. */
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

/** Makes signals end the process by `exit`, so that files of the run are removed. Servers end with the process. */
export function exitOnSignals(): void {
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
}

/** Resolves with the result of `choose`. If it throws, prints the error and the usage, and exits with code 2. */
export async function chosenOr<Choice>(usage: string, choose: () => Choice): Promise<Awaited<Choice>> {
  try {
    return await choose();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`);
    return process.exit(2);
  }
}
