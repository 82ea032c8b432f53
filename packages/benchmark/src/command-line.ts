import type { Progress } from './engine/plan.ts';

/** Telling is work: it must not take the cores from what is measured. */
const EVERY_MS = { terminal: 500, file: 5000 };
const CLEAR_LINE = '\r\x1b[K';

/** One line that changes where `stream` is a terminal, one every few seconds where it is not. */
export function showProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  const everyMs = EVERY_MS[stream.isTTY ? 'terminal' : 'file'];
  const begun = performance.now();
  let total = 1;
  let told = Number.NEGATIVE_INFINITY;
  return {
    start(count) {
      total = count;
    },
    update(done, doing) {
      const now = performance.now();
      if (now - told < everyMs) return;
      told = now;
      const percent = String(Math.floor((100 * done) / total)).padStart(3);
      const line = `${percent} % after ${Math.round((now - begun) / 1000)} s: ${doing}`;
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
