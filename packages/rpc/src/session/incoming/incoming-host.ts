import type { RpcError } from '../../errors/rpc-error.ts';
import type { Message } from '../../protocol/message.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { Signal } from '../../protocol/signal.ts';
import type { Channels } from '../channels/channels.ts';
import type { Observer } from '../observe/observer.ts';
import type { Exports } from '../references/exports.ts';
import type { Imports } from '../references/imports.ts';
import type { SessionSettings } from '../settings.ts';
import type { Travelling } from '../travelling.ts';
import type { Waiting } from '../waiting.ts';
import type { Bounds } from './admission.ts';
import type { CallContext, Caller, SessionCounts } from './call-context.ts';
import type { Pending } from './held-results.ts';
import type { ResultStore } from './result-store.ts';

/** What the serving half of a session needs of it. */
export interface IncomingHost {
  readonly settings: SessionSettings;
  readonly travelling: Travelling;
  readonly exports: Exports;
  /** What operations without another receiver are made on; undefined on a client. */
  readonly target: unknown;
  readonly caller: Caller | undefined;
  /** Whether the connection has ended. */
  readonly isOver: boolean;
  readonly results: ResultStore | undefined;
  readonly counts: SessionCounts;
  readonly waiting: Waiting;
  /** Told of each call that begins. */
  readonly observer: Observer | undefined;
  /** Derives again what a reference stood for that the object has forgotten; undefined where it cannot. */
  restore?(id: number): Pending | undefined;
  /** Has a subscription that a method returned go on behind an event. */
  resume?(outcome: Outcome, after: number): Outcome;
  /** Told of what the other side no longer holds in one way or the other. */
  letGo(value: object): void;
  /** Told after a result was written, or failed to be. */
  written(kept: boolean): void;
  /** Notes that something is going on, which the object has to stay awake for, until what it returns is called. */
  busy(): () => void;
  /** Sends a frame of results, after calls that were made before. */
  sendReplies(message: Message): void;
  /** Told of what methods threw and of results that could not be sent. */
  onError(error: unknown, method: string, call: CallContext | undefined): void;
  /** Told of what was refused: a call of the method, or a frame where there is none. */
  onRefused(error: RpcError, method: string | undefined): void;
  /** Ends the connection, because of something that arrived. */
  refuseConnection(error: RpcError): void;
  /** Bounds for what the other side asks for; undefined where it is no stranger. */
  readonly bounds: Bounds | undefined;
  /** The channels and the references of the other side, where there have been any. */
  readonly openChannels: Channels | undefined;
  readonly openImports: Imports | undefined;
  /** Handles a signal that only one side knows. */
  receiveOther?(signal: Signal): void;
}
