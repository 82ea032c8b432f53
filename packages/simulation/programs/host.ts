import type { Topic } from '@lumenize/rpc/server';
import type { ServerSpec } from '../src/programs/program.ts';
import type { Ledger } from './ledger.ts';

/** What the targets of an object share. */
export interface Host {
  readonly storage: DurableObjectStorage;
  readonly ledger: Ledger;
  readonly topics: readonly Topic<unknown>[];
  readonly options: ServerSpec;
  /** Notes what must never be. */
  defect(message: string): void;
  /** Ends the object. */
  abort(): void;
  /** Closes the sockets of a connection with a code of the application's. */
  closeSockets(connectionId: string, code: number): void;
  /** Counts what has begun and not ended: `change` is 1 or -1. */
  live(what: string, change: number): void;
}
