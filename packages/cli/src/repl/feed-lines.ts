import { createInterface } from 'node:readline';
import type { REPLServer } from 'node:repl';
import type { PassThrough } from 'node:stream';

/**
 * Gives a prompt the lines of a file or a pipe, each when the one before it has been answered: read all at once, they would
 * be called at once, and the prompt would end before their results are there. With `signal` no more of them are read, though
 * whoever writes them may go on.
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
