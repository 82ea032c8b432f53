import { type Position, RpcTarget, type Subscription, type Topic } from '@lumenize/rpc/server';
import type { ChaosCalls } from '../chaos-calls.ts';
import type { LedgerStorage } from './ledger-storage.ts';

/** The number of the code. A deploy replaces it in the bundle. */
const DEPLOYED = 1;

/** Two counters. One of them counts each call exactly once. */
export class ChaosApi extends RpcTarget implements ChaosCalls {
  static readonly rpc = {
    increment: { exactlyOnce: true },
    getValue: { idempotent: true },
    version: { idempotent: true },
    follow: { idempotent: true },
  };

  readonly #ledger: LedgerStorage;
  readonly #values: Topic<number>;

  constructor(ledger: LedgerStorage, values: Topic<number>) {
    super();
    this.#ledger = ledger;
    this.#values = values;
  }

  increment(client: number, n: number): number {
    const value = this.#ledger.add('increment', client, n);
    this.#values.publish(value);
    return value;
  }

  bump(client: number, n: number): number {
    return this.#ledger.add('bump', client, n);
  }

  getValue(): number {
    return this.#ledger.count('increment');
  }

  version(): number {
    return DEPLOYED;
  }

  follow(since: Position | 0): Subscription<number> {
    return this.#values.subscribe({ since });
  }
}
