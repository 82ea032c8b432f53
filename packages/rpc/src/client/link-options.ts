import type { RpcError } from '../errors/rpc-error.ts';
import type { OpenTransport } from '../transport/transport.ts';
import type { BackoffOptions } from './backoff.ts';
import type { HeartbeatOptions } from './heartbeat.ts';

/**
 * The state of a connection: `idle` before the first call, and after a loss where it is not made again by itself;
 * `connecting` for the first time; `reconnecting` after a loss, or after an attempt that failed; `closed` by `close()`, or because
 * it was refused for good.
 */
export type ConnectionState = 'idle' | 'connecting' | 'open' | 'reconnecting' | 'closed';

/** What makes a connection again, and again. */
export interface LinkOptions {
  open: OpenTransport;
  /** Where it leads, for messages. */
  description: string;
  token?: string | (() => string | Promise<string>) | undefined;
  reconnect: boolean | BackoffOptions;
  heartbeat: false | HeartbeatOptions;
  /** How long an attempt may take, in milliseconds. */
  connectTimeoutMs: number;
  /** How long calls wait for a connection, in milliseconds. */
  maxWaitMs: number;
  /** Where there is one, it is told why there is no connection. */
  onStateChange?: unknown;
}

/** What became of a connection, or of an attempt to make one. */
export interface Loss {
  readonly error: RpcError;
  /** Whether it had been open. */
  readonly wasOpen: boolean;
  /** Whether what was sent over it can have run. */
  readonly mayHaveRun: boolean;
  /** Whether what was sent is to blame, and would have the same effect again. */
  readonly isBlamed: boolean;
  /** Whether there will be another attempt. */
  readonly isTemporary: boolean;
}

/** What is to be done about a loss. */
export interface Verdict {
  readonly loss: Loss;
  /** The state from now on. */
  readonly state: ConnectionState;
  /** Milliseconds until another attempt, where there will be one. */
  readonly delayMs: number;
}

/** What a URL looks like, for messages. */
export const EXAMPLE_URL = 'ws://localhost:8787/rpc/<binding>/<instance>';
