import { RpcTarget } from '@lumenize/rpc/server';
import type { ChaosCalls } from '../chaos-calls.ts';
import type { LedgerStorage } from './ledger-storage.ts';

/** A deploy replaces the number in the bundle. */
const VERSION = 1;

/** Two counters, of which one promises to count each call once. */
export class ChaosApi extends RpcTarget implements ChaosCalls {
  static readonly rpc = {
    increment: { exactlyOnce: true },
    getValue: { idempotent: true },
    version: { idempotent: true },
  };

  readonly #ledger: LedgerStorage;

  constructor(ledger: LedgerStorage) {
    super();
    this.#ledger = ledger;
  }

  increment(client: number, n: number): number {
    return this.#ledger.add('increment', client, n);
  }

  bump(client: number, n: number): number {
    return this.#ledger.add('bump', client, n);
  }

  getValue(): number {
    return this.#ledger.count('increment');
  }

  version(): number {
    return VERSION;
  }
}
