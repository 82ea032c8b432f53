import { RpcError } from '../errors/rpc-error.ts';
import type { CallFrame } from '../protocol/operation.ts';
import type { RpcLimits } from './limits.ts';

/** The state of an object that all its connections share. */
export interface SharedLoad {
  /** The number of calls that are running. */
  calls: number;
  /** The numbers of calls that were answered with a value and with an error. */
  succeeded: number;
  failed: number;
  /** Sends events that have been published, before replies. Undefined if nothing has been published. */
  sendEvents?: (() => void) | undefined;
}

/**
 * The work that waits on one connection: the number of running calls, and the memory that waiting data takes, in bytes
 * as they were counted on arrival.
 */
export class Waiting {
  readonly limits: RpcLimits;
  readonly max: number;
  /** The bytes of the arguments of running calls, chunks that are not read, parts of a message, and waiting frames. */
  bytes: number;
  /** The bytes that all streams together may be ahead of their readers. */
  windows: number;
  /** The operations of callbacks of `map` that are running: see `isFull` in `map-over.ts`. */
  mapped: number;
  readonly #load: SharedLoad;
  /** The number of running calls. Their ids are not used for this: the peer chooses them and may use one twice. */
  #calls: number;

  constructor(limits: RpcLimits, load: SharedLoad) {
    this.max = limits.maxBytesInFlight;
    this.bytes = this.windows = this.mapped = this.#calls = 0;
    this.limits = limits;
    this.#load = load;
  }

  /**
   * Returns true if this many more bytes may wait. An item of any size may wait alone: messages have limits of their
   * own.
   */
  fits(bytes: number): boolean {
    return this.bytes === 0 || this.bytes + bytes <= this.max;
  }

  /** Returns the reason why no further calls may run; undefined if they may run. */
  full(): RpcError | undefined {
    const { maxCallsInFlight, maxObjectCallsInFlight } = this.limits;
    if (this.#calls >= maxCallsInFlight) return overloaded('maxCallsInFlight');
    return this.#load.calls >= maxObjectCallsInFlight ? overloaded('maxObjectCallsInFlight') : undefined;
  }

  /** Counts calls: 1 for a call that is left running, -1 for a call that has ended. */
  count(calls: number): void {
    this.#calls += calls;
    this.#load.calls += calls;
  }

  /** Counts the memory of a frame until `letGo` was called as often as `hold`. */
  hold(frame: CallFrame): void {
    if (frame.holders++ === 0) this.bytes += frame.cost;
  }

  letGo(frame: CallFrame): void {
    if (--frame.holders === 0) this.bytes -= frame.cost;
  }
}

/** A connection on which work can wait. */
export interface WaitingHost {
  readonly settings: { readonly limits: RpcLimits };
  readonly load: SharedLoad;
  openWaiting: Waiting | undefined;
}

/** Returns the work that waits on a connection. The object is created on first use. */
export function waitingOf(host: WaitingHost): Waiting {
  host.openWaiting ??= new Waiting(host.settings.limits, host.load);
  return host.openWaiting;
}

/** Limits on what the peer may ask for, if the peer is not trusted. */
export interface Bounds {
  /**
   * Returns the reason why the calls of a frame may not run. If they may run, returns undefined and charges their
   * operations.
   */
  admit(frame: CallFrame): RpcError | undefined;
  /** Charges operations that are only known after they ran, or that have no answer. */
  charge(operations: number): void;
  /**
   * Counts the work of a frame's run beyond its operations, and the bytes that it reads again.
   * @throws {RpcError} `LIMIT_EXCEEDED` if it is too much for one frame
   */
  spend(run: Effort, operations: number, bytes?: number): void;
  /**
   * Checks a call of a list's own method before it is made.
   * @throws {RpcError} if the call could ask for more than the list and its arguments hold
   */
  checkList(list: readonly unknown[], method: string | undefined, args: readonly unknown[]): void;
  /** Counts the elements that a method of a list has looked at. Throws as `spend` does. */
  spendOnList(run: Effort, list: readonly unknown[], method: string | undefined, result: unknown): void;
}

/** The work of running a frame beyond its own operations, caused by callbacks of `map` and by methods of lists. */
export interface Effort {
  operations: number;
  bytes: number;
}

/** Creates the error for a request that there is no room for at the moment. */
export function overloaded(limit: string): RpcError {
  return new RpcError('OVERLOADED', `${limit} exceeded: call again when others have been answered`);
}
