import { type AsyncStorage, createAsyncStorage } from '#platform';
import { malformed, type RpcError, refusal } from '../errors.ts';
import type { Asked } from '../peer/asked.ts';
import type { CallContext, Caller, SessionCounts } from '../types/call-context.ts';
import type { AbortSignal } from '../types/platform.ts';
import type { Session } from './session.ts';

/** The frame that is being run, or the recording of a callback. */
export interface Running {
  /** The start of entries without a receiver. */
  readonly target: unknown;
  /** The results of its entries so far, by their ids. */
  readonly results: Map<number, unknown>;
  /** The bytes of its values. */
  readonly tail: Uint8Array | undefined;
  /** The time since the frame was first sent, in milliseconds, if it is sent again and may have run. */
  readonly ageMs: number | undefined;
  /** The values that a recorded callback uses from outside. */
  readonly captures: readonly unknown[];
  /** The operations of callbacks so far. */
  readonly operations: { count: number };
  /** Why none of its calls runs; undefined if they may. */
  readonly refused: RpcError | undefined;
  /** The memory that it takes as long as its calls wait, as this side estimates it. */
  cost: number;
}

const NONE: { ms?: unknown; trace?: unknown; since?: unknown } = { ms: undefined, trace: undefined, since: undefined };

/** A call that is being answered. */
export class RunningCall implements CallContext, Asked {
  declare readonly peer: Session;
  declare readonly callId: number;
  /** Its entry. Arguments that are read replace those that arrived. */
  declare readonly steps: unknown[];
  /** The frame that it is in. */
  declare readonly running: Running;
  declare readonly deadline: number | undefined;
  declare readonly traceparent: string | undefined;
  /** Where a subscription that the call returns goes on, if the client says so. */
  declare readonly since: unknown;
  /** The number of results inside of its chain so far; -1 if they are not kept. */
  declare kept: number;
  /** True as long as all that has run for it leads to the result so far again. */
  declare isPlace: boolean;
  /** The promise that it waits for. */
  declare result: PromiseLike<unknown> | undefined;
  /** Why the caller gave up; undefined while it has not. */
  declare over: RpcError | undefined;
  declare private controller: AbortController | undefined;

  constructor(peer: Session, callId: number, entry: unknown, running: Running) {
    if (!Array.isArray(entry) || entry.length === 0) throw malformed('an entry');
    const [first] = entry;
    const options = typeof first === 'object' && !Array.isArray(first) ? first : undefined;
    const receiver = options === undefined ? first : entry[1];
    // Without what all objects inherit.
    const { ms, trace, since } = options === undefined ? NONE : { ...NONE, ...options };
    this.peer = peer;
    this.callId = callId;
    this.steps = entry;
    this.running = running;
    this.deadline = typeof ms === 'number' ? Date.now() + ms : undefined;
    this.traceparent = trace === undefined ? undefined : validTraceparent(trace);
    this.since = since;
    this.kept = 0;
    this.isPlace = typeof receiver === 'string' || receiver === 0;
    this.result = this.over = this.controller = undefined;
  }

  /** The name of the member that it calls or reads, for messages. */
  get name(): string {
    return (this.steps.findLast((step) => typeof step === 'string') as string | undefined) ?? 'function';
  }

  get caller(): Caller | undefined {
    return this.peer.caller;
  }

  get counts(): SessionCounts {
    return this.peer.counts;
  }

  /** Made when it is first read: most methods never read it. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.over !== undefined) this.controller.abort(this.over);
    }
    return this.controller.signal;
  }

  /** Notes that nobody waits for the call any more. */
  giveUp(reason: RpcError): void {
    this.over ??= reason;
    this.controller?.abort(this.over);
  }

  /** @throws {RpcError} if nobody waits for the call any more: nothing runs for it then */
  requireWanted(): void {
    if (this.over !== undefined) throw this.over;
    if (this.deadline !== undefined && Date.now() >= this.deadline) {
      throw refusal('TIMED_OUT', 'the caller gave up before the call began');
    }
  }
}

/**
 * Matches a version, the ids of a trace and of a span, neither of them zero, and flags. Later versions may append more.
 */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|-)/;
const LENGTH = 55;

/** Returns a `traceparent` if it is valid by the W3C recommendation Trace Context: a receiver ignores an invalid one. */
export function validTraceparent(text: unknown): string | undefined {
  if (typeof text !== 'string' || !TRACEPARENT.test(text)) return undefined;
  return text.startsWith('00') && text.length !== LENGTH ? undefined : text;
}

/**
 * The platform's way to know after an `await` which call is being answered. Node and Workers have one, browsers do not
 * yet. Undefined until a program asks for it: in a Worker, it costs more than all the rest of a call.
 */
let storage: AsyncStorage<RunningCall> | undefined;
let current: RunningCall | undefined;

/** Makes calls known after an `await` too, from now on, if the platform supports that. */
export function followCalls(): void {
  storage ??= createAsyncStorage<RunningCall>();
}

/**
 * Runs a function for a call. It can ask for the call until its first `await`, and after it unless it `isPrompt`.
 * @throws {RpcError} if nobody waits for the call any more
 */
export function runFor<Result>(call: RunningCall, isPrompt: boolean | undefined, run: () => Result): Result {
  if (call.over !== undefined || call.deadline !== undefined) call.requireWanted();
  const outer = current;
  current = call;
  try {
    return storage === undefined || isPrompt ? run() : storage.run(call, run);
  } finally {
    current = outer;
  }
}

/** Returns the call that is being answered, also after an `await` if the platform supports that; undefined if none is. */
export function answeredCall(): RunningCall | undefined {
  return current ?? storage?.getStore();
}

/**
 * Returns the context of the call that the method is answering, also after an `await`. Pages, and Workers without
 * `nodejs_compat`, do not support that: there a method must call this function before its first `await`.
 * @throws {Error} if no call is being answered
 */
export function callContext<Identity = unknown>(): CallContext<Identity> {
  const call = answeredCall();
  if (call !== undefined) return call as unknown as CallContext<Identity>;
  const after = storage === undefined ? 'a Worker needs nodejs_compat' : 'a method has to be async, and no getter';
  throw new Error(`callContext() is for methods while they answer a call; to ask after an await, ${after}`);
}
