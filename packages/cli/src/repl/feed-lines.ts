import { createInterface } from 'node:readline';
import type { REPLServer } from 'node:repl';
import type { PassThrough } from 'node:stream';

/**
 * Passes the lines of a file or a pipe to a prompt, each after the one before it has been answered. If all lines were
 * read at once, their calls would be made at once, and the prompt would end before the results are there. When `signal`
 * aborts, no more lines are read, even if the other side still writes.
 */
export async function feedLines(repl: REPLServer, input: PassThrough, signal: AbortSignal): Promise<void> {
  const { displayPrompt } = repl;
  let prompted = () => {};
  repl.displayPrompt = (keepsCursor) => {
    displayPrompt.call(repl, keepsCursor);
    prompted();
  };
  for await (const line of createInterface({ input: process.stdin, signal })) {
    const isAnswered = new Promise<void>((resolve) => {
      prompted = resolve;
    });
    input.write(`${line}\n`);
    await isAnswered;
  }
  input.end();
}
