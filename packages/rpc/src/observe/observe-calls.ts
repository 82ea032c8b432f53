import { RpcError, type RpcErrorCode } from '../errors.ts';
import type { Answers } from '../peer/answers.ts';
import { Call, REJECTED, RESOLVED, STEP } from '../peer/call.ts';
import type { Peer } from '../peer/peer.ts';
import { bytesOf } from '../peer/sizes.ts';
import { type Node, nameOf, namesOf } from '../peer/stub.ts';
import type { Writer } from '../peer/writer.ts';
import { type RunningCall, validTraceparent } from '../server/context.ts';
import type { Caller } from '../types/call-context.ts';

/** A call that begins, on the side that makes it or on the side that answers it. */
export interface ObservedCall {
  /** `outgoing` if this side makes the call, `incoming` if it answers it. */
  readonly direction: 'outgoing' | 'incoming';
  /** Names of the path after the receiver, joined by dots. */
  readonly method: string;
  /** True if a property is read and no method is called. */
  readonly isRead: boolean;
  /**
   * Arguments of the call; undefined if a property is read, and for an incoming call until they have been read. Of a
   * chain, those of its last call. They belong to the call: do not change or keep them.
   */
  readonly args: readonly unknown[] | undefined;
  /**
   * The caller's W3C `traceparent`. Of an outgoing call, the one given to `withOptions`; of an incoming call, the one
   * that arrived, if it is valid.
   */
  readonly traceparent: string | undefined;
  /** Destination of a client's outgoing call: the URL, or a description. */
  readonly address: string | undefined;
  /** The caller of an incoming call; undefined for outgoing calls. */
  readonly caller: Caller | undefined;
  /** Id of an incoming call, given by the peer; undefined for outgoing calls. */
  readonly callId: number | undefined;
}

/** Outcome of a call. */
export interface ObservedEnd {
  /**
   * `value` or `error`, as the caller receives it; `step` if the result stays on the other side, where only other calls
   * use it.
   */
  readonly outcome: 'value' | 'error' | 'step';
  /** The value that the call returned, if the outcome is `value`. */
  readonly value: unknown;
  /** The error of the call, thrown by the method or by the library, if the outcome is `error`. */
  readonly error: unknown;
  /** Code of the error, if it is an `RpcError`. */
  readonly code: RpcErrorCode | undefined;
  /**
   * Milliseconds until the call settled or was answered. In Workers only waiting counts, because the clock stands still
   * while code runs.
   */
  readonly durationMs: number;
  /**
   * Bytes that the call added to its frame; on the answering side, an equal share of the frame. Undefined if the call
   * was not written at once, or if it filled a frame.
   */
  readonly callBytes: number | undefined;
  /**
   * Bytes that the result added to its frame; on the calling side, the size of the whole message that contained the
   * result. Undefined if there is no result, or if an error arrived.
   */
  readonly resultBytes: number | undefined;
}

/** Callbacks that follow one call. */
export interface CallWatch {
  /** The `traceparent` that is sent with an outgoing call, in place of the caller's. */
  readonly traceparent?: string | undefined;
  /**
   * Called to run the answer to an incoming call. Must call `answer` once, synchronously, for example inside of an
   * active span. Code that the answer awaits continues in the same asynchronous context.
   */
  run?(answer: () => void): void;
  /** Called once, when the call has ended. */
  end?(end: ObservedEnd): void;
}

/**
 * Called with each call when it begins, on either side. Returns a watch that follows the call, or undefined to ignore
 * it. An error that it throws goes to `onError`, and the call continues.
 */
export type ObserveCall = (call: ObservedCall) => CallWatch | undefined;

/** Observes the calls of a connection; `observeCalls` makes it. */
export type Observer = (peer: Peer, address: string | undefined) => void;

/** How a call has ended; undefined for a step. */
type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown }
  | undefined;

type Watched = NonNullable<ReturnType<typeof watch>>;

/**
 * Combines observers into the option `observe` of `connect` and of servers. The first observer is the outermost one: an
 * answer runs inside of all of them.
 */
export function observeCalls(...observers: readonly ObserveCall[]): Observer {
  return (peer, address) => {
    const arriving = { bytes: 0 };
    const receive = peer.receive.bind(peer);
    peer.receive = (message) => {
      arriving.bytes = message.length;
      return receive(message);
    };
    observeMade(peer, address, observers, arriving);
    const { answering } = peer.settings;
    if (answering === undefined) return;
    const made = (of: Peer): Answers => {
      const Observed = observed(answering(of).constructor as AnswersClass, observers, arriving);
      return new Observed(of) as unknown as Answers;
    };
    Object.assign(peer, { settings: Object.assign(Object.create(peer.settings), { answering: made }) });
  };
}

/** The message that is handled. */
interface Arriving {
  bytes: number;
}

/** Observes the calls that programs make through a peer. */
function observeMade(
  peer: Peer,
  address: string | undefined,
  observers: readonly ObserveCall[],
  arriving: Arriving,
): void {
  const { make } = Object.getPrototypeOf(peer) as Peer;
  const ends = new WeakMap<Call, (outcome: Outcome) => void>();
  const written = () => (peer.writing === undefined ? 0 : peer.writing.text.length + bytesOf(peer.writing.tail));
  peer.op = (node, args) => {
    const { onError } = peer.settings;
    const watched = watch(
      observers,
      (given) => madeCall(node, args, address, given),
      (error) => onError?.(error, 'observe', undefined),
    );
    if (watched === undefined) return make.call(peer, node, args);
    const { traceparent } = watched;
    const isTraced = traceparent !== undefined && traceparent.length <= 256;
    const before = written();
    const call = make.call(peer, isTraced ? { ...node, options: { ...node.options, traceparent } } : node, args);
    const added = written() - before;
    const { base } = node;
    const end = (outcome: Outcome) => {
      // What the call was made on has stayed on the other side, and ends with it.
      if (base instanceof Call && base.state === STEP) ends.get(base)?.(undefined);
      ends.delete(call);
      const isWritten = call.frame !== undefined && outcome?.ok;
      watched.end(outcome, added > 0 ? added : undefined, isWritten ? arriving.bytes : undefined);
    };
    ends.set(call, end);
    follow(call, end);
    return call;
  };
}

function madeCall(
  node: Node,
  args: unknown[] | undefined,
  address: string | undefined,
  traceparent = node.options?.traceparent,
): ObservedCall {
  return {
    direction: 'outgoing',
    method: namesOf(node.path).join('.') || nameOf(node),
    isRead: args === undefined,
    args,
    traceparent,
    address,
    caller: undefined,
    callId: undefined,
  };
}

/** Calls `end` with the outcome of a call. */
function follow(call: Call, end: (outcome: Outcome) => void): void {
  const { settle } = call;
  call.settle = (state, value) => {
    settle.call(call, state, value);
    end(state === RESOLVED ? { ok: true, value } : { ok: false, error: value });
  };
  if (call.state === RESOLVED) end({ ok: true, value: call.value });
  else if (call.state === REJECTED) end({ ok: false, error: call.value });
}

type AnswersClass = new (peer: Peer) => Answers<RunningCall>;

/** Returns the class of answers that observe the calls that they answer. */
function observed(Base: AnswersClass, observers: readonly ObserveCall[], arriving: Arriving): AnswersClass {
  return class ObservedAnswers extends Base {
    readonly #watched = new WeakMap<RunningCall, Watched & { readonly callBytes: number }>();
    readonly #outcomes = new WeakMap<RunningCall, Outcome>();
    /** The bytes of a call's share of the frame that runs. */
    #share = 0;

    override run(...[frame, ...rest]: Parameters<Answers['run']>): void {
      this.#share = Math.round(arriving.bytes / Math.max(frame.length - 1, 1));
      return super.run(frame, ...rest);
    }

    protected override start(call: RunningCall): void {
      const { onError } = this.peer.settings;
      const watched = watch(
        observers,
        (given) => answeredCall(call, given),
        (error) => onError?.(error, 'observe', call),
      );
      if (watched === undefined) return super.start(call);
      this.#watched.set(call, { ...watched, callBytes: this.#share });
      watched.run(() => super.start(call));
    }

    protected override answer(call: RunningCall, value: unknown): void {
      this.#outcomes.set(call, { ok: true, value });
      super.answer(call, value);
    }

    protected override fail(...[call, error, ...rest]: Parameters<Answers<RunningCall>['fail']>): void {
      this.#outcomes.set(call, { ok: false, error });
      super.fail(call, error, ...rest);
    }

    protected override write(call: RunningCall, text: string, writer: Pick<Writer, 'tail' | 'sent'>): void {
      const outcome = this.#outcomes.get(call);
      super.write(call, text, writer);
      // A result that is too large has become an error by now, which has ended it.
      if (outcome !== this.#outcomes.get(call)) return;
      const watched = this.#watched.get(call);
      watched?.end(outcome, watched.callBytes, text.length + bytesOf(writer.tail));
      this.#watched.delete(call);
    }

    override cancel(given: unknown): void {
      const before = new Map(this.waiting);
      super.cancel(given);
      this.#endGone(before);
    }

    override lose(reason: RpcError): void {
      const before = new Map(this.waiting);
      super.lose(reason);
      this.#endGone(before);
    }

    /** Ends what was given up: nobody is answered. */
    #endGone(before: ReadonlyMap<number, RunningCall>): void {
      for (const [id, call] of before) {
        if (this.waiting.has(id)) continue;
        const watched = this.#watched.get(call);
        watched?.end({ ok: false, error: call.over }, watched.callBytes, undefined);
        this.#watched.delete(call);
      }
    }
  };
}

function isText(step: unknown): step is string {
  return typeof step === 'string';
}

function answeredCall(call: RunningCall, given?: string): ObservedCall {
  const { steps, caller, callId } = call;
  // A client keeps nothing of a call's options.
  const [options] = steps;
  const traceparent = given ?? call.traceparent ?? validTraceparent((options as { trace?: unknown } | null)?.trace);
  const isRead = isText(steps.at(-1));
  return {
    direction: 'incoming',
    method: steps.filter(isText).join('.') || (isRead ? 'result' : 'function'),
    isRead,
    get args() {
      // Marked arguments are read when the method is called.
      const args = steps.at(-1);
      return Array.isArray(args) ? args : undefined;
    },
    traceparent,
    address: undefined,
    caller,
    callId,
  };
}

/**
 * Begins to observe a call. Each observer gets the `traceparent` that the observers before it gave. Returns undefined
 * if no observer follows the call. An error that an observer throws is reported, and affects neither the call nor other
 * observers.
 */
function watch(
  observers: readonly ObserveCall[],
  callWith: (traceparent: string | undefined) => ObservedCall,
  report: (error: unknown) => void,
) {
  const guarded = (run: () => void) => {
    try {
      run();
    } catch (error) {
      report(error);
    }
  };
  const watches: CallWatch[] = [];
  let given: string | undefined;
  for (const observe of observers) {
    guarded(() => {
      const found = observe(callWith(given));
      if (found === undefined) return;
      watches.push(found);
      given = found.traceparent ?? given;
    });
  }
  if (watches.length === 0) return undefined;
  const startedAt = performance.now();
  return {
    /** The `traceparent` that observers gave the call. */
    traceparent: given,
    /** Runs the answer to the call inside of all observers. Whatever they do, the call is answered, and only once. */
    run<T>(answer: () => T): T {
      let answered: (() => T) | undefined;
      const runFrom = (place: number) => {
        let isDone = false;
        const next = () => {
          if (isDone) return;
          isDone = true;
          if (place + 1 < watches.length) runFrom(place + 1);
          else answered = capture(answer);
        };
        guarded(() => watches[place].run?.(next));
        next();
      };
      runFrom(0);
      return answered!();
    },
    end(outcome: Outcome | undefined, callBytes: number | undefined, resultBytes: number | undefined): void {
      const error = outcome?.ok === false ? outcome.error : undefined;
      const end = {
        outcome: outcome === undefined ? 'step' : outcome.ok ? 'value' : 'error',
        value: outcome?.ok ? outcome.value : undefined,
        error,
        code: error instanceof RpcError ? error.code : undefined,
        durationMs: performance.now() - startedAt,
        callBytes,
        resultBytes,
      } as const;
      for (const one of watches) guarded(() => one.end?.(end));
    },
  };
}

/**
 * Runs a function, and returns a function that returns its result or throws its error. Observers never see an error of
 * the answer itself.
 */
function capture<T>(run: () => T): () => T {
  try {
    const result = run();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Returns an address without the parts of its URL that may be secret: the query, and a name and password. */
export function publicAddress(address: string): string {
  return address.replace(/\?.*/s, '').replace(/\/\/[^/]*@/, '//');
}

/** Returns the message of an error, without the parts of the given address in it that may be secret. */
export function publicMessage(error: unknown, address: string | undefined): string {
  const message = error instanceof Error ? error.message : typeof error;
  return address === undefined ? message : message.replaceAll(address, () => publicAddress(address));
}

const MAX_LENGTH = 100;

/** Returns the method of a call, shortened. The method may come from the peer, and may be of any length. */
export function shortMethod({ method }: ObservedCall): string {
  return method.slice(0, MAX_LENGTH);
}
