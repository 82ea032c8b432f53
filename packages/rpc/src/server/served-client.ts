import type { ConnectedClient } from '../protocol/version.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import type { ResultStore } from '../session/incoming/result-store.ts';
import type { ConnectionMemory } from '../session/references/memory.ts';

/** What a session has beside its target and its transport. */
export interface ServedClient {
  caller?: Caller | undefined;
  /** Which client it is, and which of its connections; undefined for those that do not say. */
  client?: ConnectedClient | undefined;
  /** Without one the session is gone when the object leaves memory. */
  memory?: ConnectionMemory | undefined;
  /** Where results of the client's exactly-once calls are stored; without it they are as all others. */
  results?: ResultStore | undefined;
  /** Returns what a caller talks to who has shown a new token, and notes who that is; without it the target stays. */
  renewed?: ((caller: Caller) => unknown) | undefined;
}
