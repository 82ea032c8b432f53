import type { RpcError } from '../errors/rpc-error.ts';
import type { CallFrame, CallReader } from '../protocol/call-reader.ts';
import type { RefusedFrame } from '../protocol/frame-reader.ts';
import { DATA_MEMBERS, type Members } from './data-members.ts';
import type { PrepareArguments } from './outgoing/node.ts';

/** A capability beside the core. Its rows fill the tables by which a session reads, writes and makes calls. */
export interface Extension {
  /** The name by which it is imported, for errors of sessions that lack it. */
  readonly name: string;
  /** What it adds to making a call. */
  readonly call?: {
    /** Returns the arguments to send in place of those given. */
    prepare?: PrepareArguments;
  };
  /** What it answers calls of the other side with. */
  readonly answer?: Answering;
}

/** How calls of the other side are read, run and answered. */
export interface Answering {
  /** Reads the entries of a frame of calls. */
  readonly Reader: typeof CallReader;
  /** Makes the half of a session that answers. */
  create(session: object): Answers;
  /** Runs a frame that was read. */
  run(answers: Answers, frame: CallFrame): void;
  readonly members: Members;
}

/** The half of a session that answers calls, as the other half sees it. */
export interface Answers {
  readonly replies: { flush(): void };
  /** Refuses a frame of which nothing runs. */
  refuseUnread(frame: RefusedFrame): void;
  /** Ends what is running: the connection is gone. */
  lost(reason: RpcError): void;
}

/** The rows of a session's extensions, put together once for all sessions that have the same. */
export interface ExtensionTables {
  readonly prepare: PrepareArguments | undefined;
  readonly answer: Answering | undefined;
  readonly members: Members;
}

/** Puts the rows of extensions together. */
export function tablesOf(extensions: readonly Extension[]): ExtensionTables {
  const prepares = extensions.flatMap(({ call }) => call?.prepare ?? []);
  const [only] = prepares;
  const inTurn: PrepareArguments = (session, node, args) =>
    prepares.reduce((given, prepare) => prepare(session, node, given), args);
  const answer = extensions.find(({ answer }) => answer !== undefined)?.answer;
  return { prepare: prepares.length > 1 ? inTurn : only, answer, members: answer?.members ?? DATA_MEMBERS };
}
