import { fork } from 'node:child_process';

/** What the process says to a request, by its number. */
type Answer = { readonly id: number; readonly reply: unknown } | { readonly id: number; readonly error: string };

interface Waiting {
  resolve(reply: unknown): void;
  reject(error: Error): void;
}

/** What is asked of a process, by kind, and what each is answered with. */
export type Requests<Kinds> = { readonly [Kind in keyof Kinds]: { readonly asks: object; readonly replies: unknown } };

/** A fresh process of a client that does one thing after the other as it is asked to; it ends with this one. */
export class ClientProcess<Kinds extends Requests<Kinds>> {
  readonly #process;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #errors = '';

  /** Starts `client`, a bundle that calls `answerRequests`. */
  constructor(client: string) {
    // Options meant for this process, such as a test runner's, are not the client's.
    this.#process = fork(client, { execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.#process.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    this.#process.on('message', (answer: Answer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if ('error' in answer) waiting?.reject(new Error(`the client failed: ${answer.error}`));
      else waiting?.resolve(answer.reply);
    });
    const ended = (why: string) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`${why}\n${this.#errors}`));
      this.#waiting.clear();
    };
    this.#process.once('error', (error) => ended(error.message));
    this.#process.once('close', (code) => ended(`the client process ended with code ${code} and no answer`));
  }

  /** Resolves with the answer; rejects with what went wrong there, or when the process has ended. */
  ask<Kind extends keyof Kinds & string>(kind: Kind, asked: Kinds[Kind]['asks']): Promise<Kinds[Kind]['replies']> {
    return new Promise<unknown>((resolve, reject) => {
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve, reject });
      this.#process.send({ id, kind, asked });
    });
  }

  /** Ends the process and whatever it has open. */
  stop(): void {
    this.#process.kill('SIGKILL');
  }
}

/** Makes this process one that is asked: each kind of request has a function that answers it. */
export function answerRequests<Kinds extends Requests<Kinds>>(
  answers: {
    readonly [Kind in keyof Kinds]: (asked: Kinds[Kind]['asks']) => Promise<Kinds[Kind]['replies']>;
  },
): void {
  process.on('message', async ({ id, kind, asked }: { id: number; kind: keyof Kinds; asked: never }) => {
    try {
      process.send!({ id, reply: await answers[kind](asked) });
    } catch (error) {
      process.send!({ id, error: error instanceof Error ? error.stack! : String(error) });
    }
  });
  // The process that asked for the work has gone: nobody is left to hear of it.
  process.once('disconnect', () => process.exit());
}
