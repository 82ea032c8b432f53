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
import type { createCallReader, RefusedFrame } from '../protocol/call-reader.ts';
import type { FrameHandler } from '../protocol/frame-reader.ts';
import type { Message } from '../protocol/message.ts';
import type { CallFrame } from '../protocol/operation.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import type { Signal } from '../protocol/signal.ts';
import { DATA_MEMBERS, type Members } from './data-members.ts';
import type { RpcLimits } from './limits.ts';
import type { Call, Deliver, OutgoingFrame, Passed } from './outgoing/call.ts';
import type { PrepareArguments } from './outgoing/node.ts';
import type { iterate } from './outgoing/stub.ts';
import type { ReadAhead } from './outgoing/waiting-calls.ts';

/** A capability beside the core. Its rows fill the tables by which a session reads, writes and makes calls. */
export interface Extension {
  /** The name by which it is imported, for errors of sessions that lack it. */
  readonly name: string;
  /** Makes the rows of the types that it carries by value. */
  readonly types?: () => readonly Row[];
  /** Defaults of the limits that it holds. */
  readonly limits?: Partial<RpcLimits>;
  /** Handlers of frames, by the tags that these begin with. */
  readonly frames?: Readonly<Record<number, FrameHandler<ExtensionSession>>>;
  /** Handlers of signals in frames of calls, by their kinds. */
  readonly signals?: Readonly<Record<number, SignalHandler>>;
  /** Values that travel in ways of its own. */
  readonly values?: readonly ValueKind[];
  /** Reads what tells its bytes only asynchronously, in a value that is to be sent. */
  readonly readBodies?: ReadBodies;
  /** Cuts a message that is larger than a frame may be into frames. */
  readonly split?: (message: Message, maxFrameBytes: number) => Iterable<Message>;
  /** Goes through a result that is an async iterable, when it is there. */
  readonly iterate?: typeof iterate;
  /** Completes the error for a value that cannot be sent. */
  readonly locate?: Writing['locate'];
  /** Returns the arguments to send in place of those given. */
  readonly prepare?: PrepareArguments;
  /** Has a call whose writing threw made again when bytes among its arguments have been read; false where they are not why. */
  readonly readAhead?: ReadAhead;
  /** Returns true for what stands for a callback that the other side runs. */
  readonly isRecording?: (value: unknown) => boolean;
  /** Settles the promise of a call that was sent. */
  readonly deliver?: Deliver;
  /** Answers calls of the other side. */
  readonly answer?: Answering;
  /** Makes what renews the token of a client's session. */
  renew?(session: object): TokenRenewal;
  /** Makes what sends frames of a client's session apart that may be why connections were lost. */
  isolate?(session: object): Isolation;
  /** Makes what knows which results of a client's calls the server has stored. */
  exactlyOnce?(outgoing: object): StoredResults;
  /** Makes what finds out that a client's connection has died. */
  watch?(link: Watched, calls: WaitingCalls, options: HeartbeatOptions | false): Heartbeat;
  /** Returns what of a client's session goes with the request which connects. */
  early?(session: object): EarlyFrame | undefined;
}

/** Keeps account of results that the other side has stored. */
export interface StoredResults {
  /** Told that the result of a call, or of a step, is stored. */
  stored(id: number): void;
  /** Adds to the frame that is about to be sent which are not needed any more. */
  write(): void;
  /** Told that the connection was lost, and that calls can be made again over another one. */
  lost(): void;
  /** Tells the other side that nothing will come any more, where it has stored something, or may with `mayStore`. */
  leave(mayStore: boolean): void;
}

/** Renews the token of a client's session, over the connection that there is. */
export interface TokenRenewal extends ExtensionState {
  /** Resolves when the server has taken a new token. */
  begin(): Promise<void>;
}

/** Decides which frames may be why connections were lost, and when these are sent again. */
export interface Isolation {
  /** Returns those of the frames under way that the loss of a connection counts against. */
  blamed(frames: readonly OutgoingFrame[]): readonly OutgoingFrame[];
  /** Has calls of suspected frames be in frames of their own, unless these have waited. */
  apart(waiting: ReadonlySet<OutgoingFrame>): void;
  /** Returns those of the frames that are to be sent now, and has the others wait. */
  due(frames: OutgoingFrame[]): readonly OutgoingFrame[];
  /** Begins to send those that wait. */
  wait(): void;
  /** Told that nothing waits any more. */
  stop(): void;
}

/** The connection that a heartbeat watches. */
export interface Watched {
  /** True once there was a sign of life since the other side was asked for one, or looked at. */
  isHeard: boolean;
  /** Asks the other side for a sign of life. */
  probe(): void;
  /** Connects now, unless there is no network; asks an open connection whether it lives. */
  connect(isOffline?: boolean): void;
  /** Gives the connection up. */
  drop(reason: string): void;
}

/** The calls of a connection. */
interface WaitingCalls {
  /** True while calls are in flight, or wait. */
  readonly isWaiting: boolean;
}

/** Timing of the checks of a silent connection. */
export interface HeartbeatOptions {
  /** Silence after which the other side is asked for a sign of life, in milliseconds. @default 30000 */
  intervalMs?: number;
  /** Longest wait for the answer, and longest time that a call is in flight on a silent connection before it is checked, in milliseconds. @default 10000 */
  timeoutMs?: number;
}

/** Finds out that a connection has died without a word: its network is gone, or its other side sleeps. */
export interface Heartbeat {
  /** Begins to look when it is worth a try: the network is back, or gone, or somebody looks at the page. */
  wake(): void;
  /** Begins to wait for silence: a connection that has just opened counts as heard. */
  start(): void;
  stop(): void;
  /** Asks for a sign of life now. */
  ask?(): void;
}

/** Frame that travels with the request which connects. */
export interface EarlyFrame {
  /** The subprotocols that carry it. */
  readonly offered: readonly string[];
  /** Told that the server has taken it. */
  taken(): void;
}

/** Returns the bytes of Blobs and the like in a value, by what they were read of. */
export type ReadBodies = (value: unknown) => Promise<Bodies>;

/** One side of a connection, as its extensions see it. */
export interface ExtensionSession {
  /** Returns the state of an extension on this connection, which is made on first use. */
  state<State extends ExtensionState>(Kind: new (session: this) => State): State;
  /** Sends a frame over the connection that is open; without one it is lost. */
  send(frame: Message): void;
}

/** Handles a signal that a session has read. */
export type SignalHandler = (signal: Signal, session: object) => void;

/** A kind of values that the codec does not carry. */
export interface ValueKind {
  /** Names of what stands for them in frames. */
  readonly names: readonly string[];
  /** Says how a value travels, as an argument or elsewhere; undefined where it is of another kind. */
  write?(value: object, session: object, isArgument: boolean): Made | undefined;
  /** Makes what stands for a value, in the arguments of the call `argumentOf`, in what became of the call `resultOf`, or elsewhere. */
  read?(
    name: string,
    parts: unknown[],
    session: object,
    argumentOf: number | undefined,
    resultOf: number | undefined,
  ): unknown;
}

/** A value that was sent: what stands for it, and what becomes of it where it is there for this connection only. */
export interface Made extends Partial<Passed> {
  readonly extension: Mark;
  /** Told that it was written; `call` is the one that it is an argument of. */
  keep?(call: Call | undefined): void;
}

/** State of an extension on one connection, made on first use, and what it is told. */
export interface ExtensionState {
  /** Number of each kind, for statistics. */
  readonly counts?: Readonly<Record<string, number>>;
  /** Sends what was written. */
  flush?(): void;
  /** Told what became of the value, or the frame, that was read: whether someone has what arrived with it. */
  settle?(isWanted: boolean): void;
  /** Told that nothing runs of the frame of calls that began with this id. */
  frameRefused?(firstId: number): void;
  /** Told that the other side has given up a call. */
  callGivenUp?(callId: number, reason: RpcError): void;
  /** Told that a call of the other side has ended. */
  callEnded?(callId: number, isAnswered: boolean, hasRun: boolean): void;
  /** Told that calls which have arrived and are not running never will: the connection is gone. */
  lostUnread?(isRunning: (callId: number) => boolean): void;
  /** Told of a result that was read, before its call settles; of one that nobody waits for the call is undefined. */
  resultRead?(callId: number, outcome: Outcome, call: Call | undefined): void;
  /** Told that the other side has refused the frame of calls that began with this id; true if these wait to be sent once more. */
  callsRefused?(firstId: number, error: RpcError): unknown;
  /** Told that calls are sent at once from now on: over a connection that was made, or with a new token. */
  opened?(): void;
  /** Told why there is no connection; with `isResumed`, what can go on over another one may wait for that. */
  disconnected?(reason: RpcError, isResumed: boolean): void;
  /** Told that calls wait no longer. */
  waited?(error: RpcError): void;
  /** Told that this side closes the connection. */
  closed?(): void;
  /** Told that the connection is gone. */
  lost?(reason: RpcError): void;
}

/** Reads, runs and answers calls of the other side. */
export interface Answering {
  readonly createReader: typeof createCallReader;
  /** Makes the half of a session that answers. */
  create(session: object): Answers;
  /** Refuses the calls of a frame of which nothing runs, where the error says which they are; else returns false. */
  refuse(session: { readonly answers: Answers }, error: unknown): boolean;
  /** Runs a frame that was read. */
  run(answers: Answers, frame: CallFrame): void;
  readonly members: Members;
}

/** The half of a session that answers calls, as the other half sees it. */
export interface Answers {
  /** Sends results that have been written. */
  flush(): void;
  /** Refuses a frame of which nothing runs. */
  refuseUnread(frame: RefusedFrame): void;
  /** Ends what is running: the connection is gone. */
  lost(reason: RpcError): void;
}

/** The rows of a session's extensions, put together once for all sessions that have the same. */
export interface ExtensionTables {
  /** Types carried by value. */
  readonly types: Types;
  readonly locate?: Writing['locate'];
  readonly split?: Extension['split'];
  readonly isRecording?: Extension['isRecording'];
  readonly iterate?: Extension['iterate'];
  /** There is one where a value says that it needs it. */
  readonly readBodies?: ReadBodies;
  readonly readAhead?: ReadAhead;
  readonly prepare: PrepareArguments | undefined;
  readonly deliver?: Deliver;
  readonly answer?: Answering;
  readonly members: Members;
  readonly renew?: Extension['renew'];
  readonly isolate?: Extension['isolate'];
  readonly watch?: Extension['watch'];
  readonly exactlyOnce?: Extension['exactlyOnce'];
  readonly early?: Extension['early'];
  readonly frames: ReadonlyMap<unknown, FrameHandler>;
  readonly signals: ReadonlyMap<unknown, SignalHandler>;
  /** Kinds of values by the names that stand for them, and those that are written. */
  readonly values: ReadonlyMap<string, ValueKind>;
  readonly writers: readonly ValueKind[];
}

/** Puts the rows of extensions together. Of what there can be one of, the last one counts. */
export function tablesOf(extensions: readonly Extension[]): ExtensionTables {
  const one: Partial<Extension> = Object.assign({}, ...extensions);
  const prepares = extensions.flatMap(({ prepare = [] }) => prepare);
  const inTurn: PrepareArguments = (session, node, args) =>
    prepares.reduce((given, prepare) => prepare(session, node, given), args);
  const kinds = extensions.flatMap(({ values = [] }) => values);
  return {
    members: one.answer?.members ?? DATA_MEMBERS,
    ...one,
    types: createTypes(common, registered, ...extensions.flatMap(({ types = [] }) => types)),
    prepare: prepares.length > 1 ? inTurn : prepares[0],
    frames: byNumber<FrameHandler>(extensions.map(({ frames }) => frames)),
    signals: byNumber(extensions.map(({ signals }) => signals)),
    values: new Map(kinds.flatMap((kind) => kind.names.map((name) => [name, kind]))),
    writers: kinds.filter(({ write }) => write !== undefined),
  };
}

function byNumber<Row>(rows: (Readonly<Record<number, Row>> | undefined)[]): ReadonlyMap<unknown, Row> {
  return new Map(Object.entries<Row>(Object.assign({}, ...rows)).map(([tag, row]) => [Number(tag), row]));
}
