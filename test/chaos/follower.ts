import type { Random } from '@lumenize/hosts/random';
import { type ConnectOptions, connect, connection, type Position, RpcError, type Stub } from '@lumenize/rpc';
import type { ChaosCalls } from './chaos-calls.ts';

/** Options of a follower. */
export interface FollowerOptions {
  url: string;
  random: Random;
  patience: ConnectOptions;
}

/** The average number of events between two pauses. */
const EVENTS_BETWEEN_PAUSES = 2000;
const LONGEST_PAUSE_MS = 300;

/** A client that reads the values of the counter from a subscription, and checks that none is missing unreported. */
export class Follower implements Disposable {
  /** Sentences about wrong events. */
  readonly wrong: string[] = [];
  events = 0;
  gaps = 0;
  /** The number of times that its subscription ended, so that it had to subscribe again. */
  renewals = 0;
  readonly #options: FollowerOptions;
  readonly #stub: Stub<ChaosCalls>;
  readonly #reached = new Map<number, () => void>();
  #last = 0;
  #position: Position | 0 = 0;
  #isOver = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#stub = connect<ChaosCalls>(options.url, options.patience);
  }

  /** The last value that it has seen or was told to have missed. */
  get last(): number {
    return this.#last;
  }

  /** Follows until it is disposed of. If a subscription ends, subscribes again after the last value. */
  async run(): Promise<void> {
    for (; !this.#isOver; this.renewals++) {
      try {
        const subscription = await this.#stub.follow(this.#position);
        for await (const item of subscription) {
          this.#see(item);
          this.#position = subscription.position;
          if (this.#options.random() < 1 / EVENTS_BETWEEN_PAUSES) await this.#pause();
          if (this.#isOver) return;
        }
      } catch (error) {
        if (this.#isOver) return;
        if (!(error instanceof RpcError) || !ENDS.has(error.code)) this.wrong.push(`a follower ended with ${error}`);
      }
      await this.#pause();
    }
  }

  /** Resolves when it has reached a value. */
  reaches(value: number): Promise<void> {
    if (this.#last >= value) return Promise.resolve();
    return new Promise((resolve) => this.#reached.set(value, resolve));
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    connection(this.#stub).close();
  }

  #see({ sequence, event, missed }: { sequence: number; event?: number; missed?: number }): void {
    const expected = this.#last + (missed ?? 1);
    if (sequence !== expected) this.wrong.push(`a follower was given ${sequence} after ${this.#last}`);
    if (missed === undefined) {
      this.events++;
      if (event !== sequence) this.wrong.push(`a follower was given the value ${event} as event ${sequence}`);
    } else this.gaps++;
    this.#last = Math.max(this.#last, sequence);
    for (const [value, resolve] of this.#reached) if (this.#last >= value) resolve();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, this.#options.random() * LONGEST_PAUSE_MS));
  }
}

/** The errors with which a subscription may end if there is no connection for too long. */
const ENDS: ReadonlySet<string> = new Set(['NOT_EXECUTED', 'OUTCOME_UNKNOWN', 'OVERLOADED']);
