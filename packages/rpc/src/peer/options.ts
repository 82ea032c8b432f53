import type { Limits, Types } from '@lumenize/structured-clone/messages';
import type { CallContext } from '../types/call-context.ts';
import type { PeerLimits } from '../types/limits.ts';
import type { AbortSignal } from '../types/platform.ts';
import type { Answers } from './answers.ts';
import type { Call } from './call.ts';
import type { Peer } from './peer.ts';
import type { Writer } from './writer.ts';

/** Options of calls that are made through a stub. */
export interface CallOptions {
  /** Cancels the call: it rejects with `CANCELLED`, and the method's own signal is aborted. */
  signal?: AbortSignal | undefined;
  /** The milliseconds until the call rejects with `TIMED_OUT`. */
  timeoutMs?: number | undefined;
  /** A W3C `traceparent`, which the method finds in its context. */
  traceparent?: string | undefined;
}

/** A mark of the value format: its name without `$`, and its parts, which are values. */
export interface Mark {
  name: string;
  parts: unknown[];
}

/** Returns what has to settle before a client handles another message, if something has. It is asked when there is one. */
export type Ahead = () => Promise<unknown> | undefined;

/**
 * Something that a connection can do beyond calls and plain values. What a bundle leaves out, it cannot do, and the
 * values and signals of it are refused by name.
 */
export interface Feature {
  /** Returns how a value is passed that is not data; undefined for other values. */
  readonly pass?: (value: object, writer: Writer) => Mark | undefined;
  /** Makes values of marks, by the names of these. `call` is the call of which the mark is all of the answer. */
  readonly revive?: Readonly<Record<string, (peer: Peer, parts: unknown[], call?: Call) => unknown>>;
  /** Handles signals, by their first keys. May return an `Ahead`. */
  readonly signals?: Readonly<
    Record<string, (peer: Peer, signal: Record<string, unknown>, tail?: Uint8Array) => unknown>
  >;
  /** Reads or calls a member of a value that has arrived. Returns the result in a list; undefined for other values. */
  readonly here?: (value: unknown, name: string | undefined, args: unknown[] | undefined) => unknown[] | undefined;
  /** Called when a connection has opened, before what waited is sent. */
  readonly opened?: (peer: Peer) => void;
  /** Called when a connection has ended, after its references are gone. `goesOn` is true if another one follows. */
  readonly ended?: (peer: Peer, goesOn: boolean) => void;
}

/** The settings that both sides of a connection have. */
export interface Settings {
  readonly limits: Readonly<PeerLimits>;
  readonly features: readonly Feature[];
  /** Makes what answers calls. A client that nothing can be passed to needs none. */
  readonly answering?: ((peer: Peer) => Answers) | undefined;
  /** The types of values. */
  readonly types: Types;
  /** The limits of a value that is sent, or received. */
  readonly valueLimits: Readonly<Limits>;
  /** Types that are refused where they arrive. */
  readonly refuse?: readonly string[] | undefined;
  /** Sends the stacks of errors. */
  readonly stacks: boolean;
  readonly onError?: ((error: unknown, method: string, call: CallContext | undefined) => void) | undefined;
  /** Observes the calls of a server's side. */
  readonly observe?: ((peer: Peer, address: string | undefined) => void) | undefined;
  /** Called when the other side says that all calls with lower ids have settled. */
  readonly settled?: ((peer: Peer, id: number) => void) | undefined;
}
