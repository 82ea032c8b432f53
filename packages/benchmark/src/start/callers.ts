import { delay } from '../delay.ts';
import type { Connection, Subject } from '../subjects/subject.ts';
import type { UpdateCounts } from './requests.ts';

const OBJECT = 'updated';
/** How soon a client that lost a call makes the next one, or tries to open another connection. */
const RETRY_MS = 20;
const TIMEOUT_MS = 30_000;

/** The clock that all processes of a machine have in common, in ms. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Clients that increment one counter, each one call after the other, over whatever happens to their connections. */
export class Callers {
  readonly #subject: Subject;
  readonly #url: string;
  readonly #reconnects: boolean;
  readonly #values = new Set<number>();
  /** When each client had its answers. */
  readonly #answeredAt: number[][];
  readonly #running: Promise<void>[];
  #lost = 0;
  #isOver = false;

  /** Of a subject that `reconnects` by itself a client goes on with the connection it has. */
  constructor(subject: Subject, url: string, clients: number, reconnects: boolean) {
    this.#subject = subject;
    this.#url = url;
    this.#reconnects = reconnects;
    this.#answeredAt = Array.from({ length: clients }, () => []);
    this.#running = this.#answeredAt.map((answeredAt) => this.#run(answeredAt));
  }

  /** Resolves when every client has had an answer after `at`; rejects where that takes too long or one has failed. */
  async answered(at = 0): Promise<void> {
    const deadline = now() + TIMEOUT_MS;
    const over = Promise.all(this.#running);
    while (!this.#answeredAt.every((times) => (times.at(-1) ?? 0) > at)) {
      if (now() > deadline) throw new Error(`${this.#subject.name}: no answer within ${TIMEOUT_MS} ms`);
      await Promise.race([delay(1), over]);
    }
  }

  /** Ends the calls, reads the counter and says how they went; `endedAt` and `newAt` are when the code was replaced. */
  async finish(endedAt: number, newAt: number): Promise<UpdateCounts> {
    await this.answered(newAt);
    this.#isOver = true;
    await Promise.all(this.#running);
    const connection = await this.#subject.connect(this.#url, OBJECT);
    const value = await connection.getValue();
    connection.close();
    const againMs = this.#answeredAt.map((times) => times.find((at) => at > newAt)! - endedAt);
    return { succeeded: this.#values.size, lost: this.#lost, value, againMs };
  }

  async #run(answeredAt: number[]): Promise<void> {
    let connection = await this.#subject.connect(this.#url, OBJECT);
    while (!this.#isOver) {
      try {
        const value = await connection.increment();
        if (this.#values.has(value)) throw new WrongAnswer(`two increments returned ${value}`);
        this.#values.add(value);
        answeredAt.push(now());
      } catch (error) {
        if (error instanceof WrongAnswer) throw error;
        this.#lost++;
        // A stub that refuses at once would else keep this process from hearing that it is to end.
        if (this.#reconnects) await delay(RETRY_MS);
        else connection = await this.#another(connection);
      }
    }
    connection.close();
  }

  /** What a user has to do: open connections until one answers. */
  async #another(lost: Connection): Promise<Connection> {
    lost.close();
    const deadline = now() + TIMEOUT_MS;
    for (;;) {
      try {
        const connection = await this.#subject.connect(this.#url, OBJECT);
        await connection.getValue();
        return connection;
      } catch (cause) {
        if (now() > deadline) throw new Error(`${this.#subject.name}: no connection`, { cause });
        await delay(RETRY_MS);
      }
    }
  }
}

class WrongAnswer extends Error {}
