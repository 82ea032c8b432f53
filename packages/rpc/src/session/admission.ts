import { RpcError } from '../errors/rpc-error.ts';
import type { CallFrame } from '../protocol/operation.ts';
import type { RpcLimits } from './limits.ts';

/** State of an object that all of its connections share. */
export interface SharedLoad {
  /** Calls that are running. */
  calls: number;
  /** Calls that were answered with a value, and with an error. */
  succeeded: number;
  failed: number;
  /** Sends what has been published, before replies; undefined where nothing has. */
  sendEvents?: (() => void) | undefined;
}

/**
 * Work that waits on one connection: calls that are left running, and memory in bytes, as it was counted where it
 * arrived.
 */
export class Waiting {
  readonly limits: RpcLimits;
  readonly max: number;
  /** Arguments of running calls, chunks that are not read, parts of a message, and frames that have to wait. */
  bytes: number;
  /** By how much all streams together may be ahead of their readers. */
  windows: number;
  readonly #load: SharedLoad;
  /** Calls that are running. Not by their ids: these are the other side's, which may have given one twice. */
  #calls: number;

  constructor(limits: RpcLimits, load: SharedLoad) {
    this.max = limits.maxBytesInFlight;
    this.bytes = this.windows = this.#calls = 0;
    this.limits = limits;
    this.#load = load;
  }

  /** Returns true if so much more may wait. What waits alone may: messages have limits of their own. */
  fits(bytes: number): boolean {
    return this.bytes === 0 || this.bytes + bytes <= this.max;
  }

  /** Returns why further calls may not run; undefined where they may. */
  full(): RpcError | undefined {
    const { maxCallsInFlight, maxObjectCallsInFlight } = this.limits;
    if (this.#calls >= maxCallsInFlight) return overloaded('maxCallsInFlight');
    return this.#load.calls >= maxObjectCallsInFlight ? overloaded('maxObjectCallsInFlight') : undefined;
  }

  /** Counts calls that are left running, 1, or that have ended, -1. */
  count(calls: number): void {
    this.#calls += calls;
    this.#load.calls += calls;
  }

  /** Counts the memory of a frame, until as many have let go of it as hold it. */
  hold(frame: CallFrame): void {
    if (frame.holders++ === 0) this.bytes += frame.cost;
  }

  letGo(frame: CallFrame): void {
    if (--frame.holders === 0) this.bytes -= frame.cost;
  }
}

/** A connection on which something can wait. */
export interface WaitingHost {
  readonly settings: { readonly limits: RpcLimits };
  readonly load: SharedLoad;
  openWaiting: Waiting | undefined;
}

/** Returns what waits on a connection, made on first use. */
export function waitingOf(host: WaitingHost): Waiting {
  host.openWaiting ??= new Waiting(host.settings.limits, host.load);
  return host.openWaiting;
}

/** Bounds what the other side may ask for, where it is a stranger. */
export interface Bounds {
  /** Returns why the calls of a frame may not run; undefined where they may, and then their operations are taken. */
  admit(frame: CallFrame): RpcError | undefined;
  /** Takes operations that are known of only when they have run, or have no answer. */
  charge(operations: number): void;
  /**
   * Counts what the run of a frame comes to beyond its operations, and bytes that it reads once more.
   * @throws {RpcError} `LIMIT_EXCEEDED` where it is too much for one frame
   */
  spend(run: Effort, operations: number, bytes?: number): void;
  /**
   * Checks a call of a list's own method before it is made.
   * @throws {RpcError} where it could ask for more than the list and its arguments hold
   */
  checkList(list: readonly unknown[], method: string | undefined, args: readonly unknown[]): void;
  /** Counts what a method of a list has looked at; throws as `spend` does. */
  spendOnList(run: Effort, list: readonly unknown[], method: string | undefined, result: unknown): void;
}

/** Effort of running a frame beyond the operations in it: by callbacks of `map`, and by methods of lists. */
export interface Effort {
  operations: number;
  bytes: number;
}

/** The error for what there is no room for at the moment. */
export function overloaded(limit: string): RpcError {
  return new RpcError('OVERLOADED', `${limit} exceeded: call again when others have been answered`);
}
