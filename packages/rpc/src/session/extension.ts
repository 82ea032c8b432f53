import type { Bodies, Extension as Mark } from '@lumenize/structured-clone';
import {
  common,
  createTypes,
  type Row,
  registered,
  type Types,
  type Writing,
} from '@lumenize/structured-clone/messages';
import type { RpcError } from '../errors/rpc-error.ts';
import type { createCallReader } from '../protocol/call-reader.ts';
import type { FrameHandler } from '../protocol/frame-reader.ts';
import type { Message } from '../protocol/message.ts';
import type { CallFrame, RefusedFrame } from '../protocol/operation.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import type { Members } from './data-members.ts';
import { ownOptions, type RpcLimits } from './limits.ts';
import type { Call, Deliver, OutgoingFrame, Passed } from './outgoing/call.ts';
import type { PrepareArguments } from './outgoing/node.ts';
import type { iterate } from './outgoing/stub.ts';
import type { ReadAhead } from './outgoing/waiting-calls.ts';

/** An optional capability of a session. Its rows fill the tables that a session uses to read, write and make calls. */
export interface Extension {
  /** The name under which the extension is imported. Errors of sessions without the extension mention it. */
  readonly name: string;
  /** Returns the rows of the types that the extension carries by value. */
  readonly types?: () => readonly Row[];
  /** The defaults of the limits that the extension enforces. */
  readonly limits?: Partial<RpcLimits>;
  /** Handlers of frames, by the tag that the frames begin with. */
  readonly frames?: Readonly<Record<number, FrameHandler<ExtensionSession>>>;
  /** The kinds of values that the extension encodes in its own way. */
  readonly values?: readonly ValueKind[];
  /** Reads the bytes in a value to send that can only be read asynchronously, such as those of a Blob. */
  readonly readBodies?: ReadBodies;
  /** Cuts a message into frames if it is larger than a frame may be. */
  readonly split?: (message: Message, maxFrameBytes: number) => Iterable<Message>;
  /**
   * Returns the name of the missing extension that a value needs, by the value or by the name that stands for it in
   * frames. Undefined if no extension is missing.
   */
  needed?(what: object | string): string | undefined;
  /** Iterates over a result that is an async iterable, once it has arrived. */
  readonly iterate?: typeof iterate;
  /** Completes the error for a value that cannot be sent. */
  readonly locate?: Writing['locate'];
  /** Returns the arguments to send in place of the given ones. */
  readonly prepare?: PrepareArguments;
  /**
   * Queues a call that could not be written until the bytes in its arguments have been read. Returns false if missing
   * bytes are not the cause.
   */
  readonly readAhead?: ReadAhead;
  /** Returns true for a recording, which stands for a callback that the peer runs. */
  readonly isRecording?: (value: unknown) => boolean;
  /** Settles the promise of a call that was sent. */
  readonly deliver?: Deliver;
  /** Answers calls of the peer. */
  readonly answer?: Answering;
  /** Accesses the members of results that have arrived. */
  readonly members?: Members;
  /** Creates the object that renews the token of a client's session. */
  renew?(session: object): TokenRenewal;
  /** Creates the object that isolates frames of a client's session that may be the cause of lost connections. */
  isolate?(session: object): Isolation;
  /** Creates the object that tracks which results of a client's calls the server has stored. */
  exactlyOnce?(outgoing: object): StoredResults;
  /** Creates the object that detects that a client's connection has died. */
  watch?(link: Watched, calls: { readonly isWaiting: boolean }, options: HeartbeatOptions | false): Heartbeat;
  /** Returns the frame of a client's session to send with the request that opens the connection. */
  early?(session: object): EarlyFrame | undefined;
}

/** Tracks the results that the peer has stored. */
export interface StoredResults {
  /** Called when the peer has stored the result of a call or of a step. */
  stored(id: number): void;
  /** Adds the ids of stored results that are no longer needed to the frame that is about to be sent. */
  write(): void;
  /** Called when the connection was lost and its calls can be sent again over another one. */
  lost(): void;
  /**
   * Tells the peer that this side will send nothing more, if the peer has stored results. With `mayStore`, also tells
   * it if the peer may have stored results.
   */
  leave(mayStore: boolean): void;
}

/** Renews the token of a client's session over the existing connection. */
export interface TokenRenewal extends ExtensionState {
  /**
   * Resolves when the server has accepted a new token. With `isWanted`, the token is asked for from now on, as it may be
   * another user's, and calls wait for it. Otherwise it only prolongs the old one, and may be under way already.
   */
  begin(isWanted: boolean): Promise<void>;
  /** Called when frames wait at the server for a new token, because the caller's identity has expired. */
  expired(error: RpcError): void;
}

/** Decides which frames may be the cause of lost connections, and when to send them again. */
export interface Isolation {
  /** Returns the frames under way that a lost connection counts against. */
  blamed(frames: readonly OutgoingFrame[]): readonly OutgoingFrame[];
  /** Moves the calls of suspected frames into frames of their own, except for the frames in `waiting`. */
  apart(waiting: ReadonlySet<OutgoingFrame>): void;
  /** Sends frames again, and makes the suspected ones wait until they are sent alone. */
  release(frames: readonly OutgoingFrame[]): void;
  /** Stops sending frames that wait. */
  stop(): void;
}

/** The connection that a heartbeat watches. */
export interface Watched {
  /** True if there was a sign of life from the peer since the heartbeat last asked for one or checked. */
  isHeard: boolean;
  /** Asks the peer for a sign of life. */
  probe(): void;
  /** Connects now, unless there is no network. If the connection is open, checks that it is alive. */
  connect(isOffline?: boolean): void;
  /** Gives up the connection. */
  drop(reason: string): void;
}

/** Timing of the checks of a silent connection. */
export interface HeartbeatOptions {
  /** The silence after which the peer is asked for a sign of life, in milliseconds. @default 30000 */
  intervalMs?: number;
  /**
   * The longest wait for the answer, in milliseconds. Also the longest time that a call is in flight on a silent
   * connection before the connection is checked.
   * @default 10000
   */
  timeoutMs?: number;
}

/** Detects that a connection has died without notice, because its network is gone or the peer sleeps. */
export interface Heartbeat {
  /**
   * Begins to listen for reasons to check the connection: the network comes back or is lost, or the user looks at the
   * page.
   */
  wake(): void;
  /** Begins to watch for silence. A connection that has just opened counts as heard. */
  start(): void;
  stop(): void;
  /** Asks for a sign of life now. */
  ask?(): void;
}

/** A frame that travels with the request that opens the connection. */
export interface EarlyFrame {
  /** The subprotocols that carry the frame. */
  readonly offered: readonly string[];
  /** Called when the server has accepted the frame. */
  taken(): void;
}

/** Returns the bytes of Blobs and similar objects in a value, by the object that they were read from. */
export type ReadBodies = (value: unknown) => Promise<Bodies>;

/** One side of a connection, as its extensions see it. */
export interface ExtensionSession {
  /** Returns the state of an extension on this connection, which is created on first use. */
  state<State extends ExtensionState>(Kind: new (session: this) => State): State;
  /** Sends a frame over the open connection. If there is none, the frame is dropped. */
  send(frame: Message): void;
  /** Notes values that are received in the arguments of calls. */
  readonly answers: Pick<Answers, 'noteArgument'>;
}

/** A kind of values that the codec does not carry. */
export interface ValueKind {
  /** The names that stand for these values in frames. */
  readonly names: readonly string[];
  /** Returns how to encode a value, as an argument or elsewhere; undefined if the value is of another kind. */
  write?(value: object, session: object, isArgument: boolean): Made | undefined;
  /**
   * Returns the decoded value: one in the arguments of the call `argumentOf`, in the outcome of the call `resultOf`, or
   * elsewhere.
   */
  read?(
    name: string,
    parts: unknown[],
    session: object,
    argumentOf: number | undefined,
    resultOf: number | undefined,
  ): unknown;
}

/** A value to be sent: its encoded form, and callbacks for a value that exists for this connection only. */
export interface Made extends Partial<Passed> {
  readonly extension: Mark;
  /** Called when the value was written. `call` is the call that it is an argument of. */
  keep?(call: Call | undefined): void;
}

/**
 * The state of an extension on one connection, created on first use. Its methods are called on events of the
 * connection.
 */
export interface ExtensionState {
  /** The number of objects of each kind, for statistics. */
  readonly counts?: Readonly<Record<string, number>>;
  /** Sends signals and frames that have been written. */
  flush?(): void;
  /**
   * Called after a value or frame was handled. `isWanted` is false if the streams and references in it have no
   * receiver.
   */
  handled?(isWanted: boolean): void;
  /** Called when a result was read, before its call settles. `call` is undefined if nobody waits for the result. */
  resultRead?(callId: number, outcome: Outcome, call: Call | undefined): void;
  /**
   * Called when the peer has refused the call frame that began with this id. Returns true if its calls wait for another
   * connection.
   */
  callsRefused?(firstId: number, error: RpcError): unknown;
  /** Called when calls are sent at once from now on, because there is a new connection or a new token. */
  opened?(): void;
  /**
   * Called on a client when an open connection has ended, and when no other will be made. With `isResumed`, state that
   * can continue over another connection may wait for it.
   */
  disconnected?(reason: RpcError, isResumed: boolean): void;
  /** Called with an error when calls stop waiting for a connection. */
  waited?(error: RpcError): void;
  /** Called when this side closes the connection. */
  closed?(): void;
  /**
   * Called when everything that depends on the connection is lost: the connection is gone, or calls stop waiting for
   * one.
   */
  lost?(reason: RpcError): void;
}

/** Reads, runs and answers calls of the peer. */
export interface Answering {
  readonly createReader: typeof createCallReader;
  /** Creates the half of a session that answers calls. */
  create(session: object): Answers;
  /** Runs a frame that was read. */
  run(answers: Answers, frame: CallFrame): void;
}

/** A value that was received in the arguments of a call, until the call has ended. */
export interface ReceivedArgument {
  /** Called when the call has all that it waited for, just before its method runs. */
  begun?(): void;
  /**
   * Called when the call has ended, and `hasRun` if any code has run for it. With `isForgotten`, the peer has forgotten
   * the value itself: it was told that the frame of the call is refused, or its connection is gone.
   */
  ended(isAnswered: boolean, hasRun: boolean, isForgotten: boolean): void;
  /** Called when the peer has given up the call. */
  givenUp?(reason: RpcError): void;
}

/** The half of a session that answers calls, as the other half sees it. */
export interface Answers {
  /** Notes a value in the arguments of a call, which is told when the call ends. */
  noteArgument(callId: number, value: ReceivedArgument): void;
  /** Sends results that have been written. */
  flush(): void;
  /** Releases a value that the peer will not receive, and ends the streams in it. */
  letGo(value: unknown): void;
  /** Refuses a frame of which nothing runs. */
  refuseUnread(frame: RefusedFrame): void;
  /** Ends the running calls, because the connection is gone. */
  lost(reason: RpcError): void;
}

/** The members of an extension that stay as they are in the tables of a session. */
type Hooks = Omit<Extension, 'name' | 'types' | 'limits' | 'frames' | 'values' | 'members'>;

/** The combined rows of a session's extensions. Sessions with the same extensions share one object. */
export interface ExtensionTables extends Hooks {
  /** The types that are carried by value. */
  readonly types: Types;
  readonly members: Members;
  readonly frames: Readonly<Record<number, FrameHandler>>;
  /** Kinds of values by their names in frames, and the kinds that can be written. */
  readonly values: ReadonlyMap<string, ValueKind>;
  readonly writers: readonly ValueKind[];
}

/** Combines the rows of extensions. Where a table has room for one row only, the last extension wins. */
export function tablesOf(given: readonly Extension[]): ExtensionTables {
  const extensions = given.map((each) => ownOptions(each));
  const one: Partial<Extension> = Object.assign({}, ...extensions);
  const prepares = extensions.flatMap(({ prepare = [] }) => prepare);
  const inTurn: PrepareArguments = (session, node, args) =>
    prepares.reduce((given, prepare) => prepare(session, node, given), args);
  const kinds = extensions.flatMap(({ values = [] }) => values);
  return ownOptions(one as object as ExtensionTables, {
    members: one.members!,
    types: createTypes(common, registered, ...extensions.flatMap(({ types = [] }) => types)),
    prepare: prepares.length > 1 ? inTurn : prepares[0],
    // The numbers come from the peer.
    frames: Object.assign(Object.create(null), ...extensions.map(({ frames }) => frames)),
    values: new Map(kinds.flatMap((kind) => kind.names.map((name) => [name, kind]))),
    writers: kinds.filter(({ write }) => write !== undefined),
  } satisfies Partial<ExtensionTables>);
}
