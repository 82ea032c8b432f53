import { RpcError } from '../errors/rpc-error.ts';
import type { CallFrame } from '../protocol/operation.ts';
import type { RpcLimits } from './limits.ts';

/** Load of an object, over all of its connections. */
export interface SharedLoad {
  /** Calls that are running. */
  calls: number;
  /** Calls that were answered with a value, and with an error. */
  succeeded: number;
  failed: number;
}

/** The memory, in bytes, of all that waits on one connection, as it was counted where it arrived. */
export class Waiting {
  readonly max: number;
  /** Arguments of running calls, chunks that are not read, parts of a message, and frames that have to wait. */
  bytes = 0;
  /** By how much all streams together may be ahead of their readers. */
  windows = 0;

  constructor(max: number) {
    this.max = max;
  }

  /** Whether so much more may wait. What waits alone may: messages have limits of their own. */
  fits(bytes: number): boolean {
    return this.bytes === 0 || this.bytes + bytes <= this.max;
  }
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
  /** Counts what a method of a list has looked at; throws as `spend` does. */
  spendOnList(run: Effort, list: readonly unknown[], method: string | undefined, result: unknown): void;
}

/** What the run of a frame has come to beyond the operations in it: by callbacks of `map`, and by methods of lists. */
export interface Effort {
  operations: number;
  bytes: number;
}

/**
 * Counts the calls that are left running on one connection, and the memory of their frames. Further ones are refused while there
 * are too many.
 */
export class Admission {
  readonly #limits: RpcLimits;
  readonly #waiting: Waiting;
  readonly #shared: SharedLoad;
  /** Calls that are running. Not by their ids: these are the other side's, which may have given one twice. */
  #calls = 0;

  constructor(limits: RpcLimits, waiting: Waiting, shared: SharedLoad) {
    this.#limits = limits;
    this.#waiting = waiting;
    this.#shared = shared;
  }

  /** Why further calls may not run; undefined where they may. */
  get full(): RpcError | undefined {
    if (this.#calls >= this.#limits.maxCallsInFlight) return FULL;
    return this.#shared.calls >= this.#limits.maxObjectCallsInFlight ? FULL_OBJECT : undefined;
  }

  /** Counts a call that is left running. */
  started(frame: CallFrame): void {
    this.#calls++;
    this.#shared.calls++;
    this.hold(frame);
  }

  ended(frame: CallFrame): void {
    this.#calls--;
    this.#shared.calls--;
    this.letGo(frame);
  }

  /** Counts the memory of a frame, until as many have let go of it as hold it. */
  hold(frame: CallFrame): void {
    if (frame.holders++ === 0) this.#waiting.bytes += frame.cost;
  }

  letGo(frame: CallFrame): void {
    if (--frame.holders > 0) return;
    this.#waiting.bytes -= frame.cost;
  }
}

/** The error for what there is no room for at the moment. */
export function overloaded(limit: string): RpcError {
  return new RpcError('OVERLOADED', `${limit} exceeded: call again when others have been answered`);
}

const FULL = overloaded('maxCallsInFlight');
const FULL_OBJECT = overloaded('maxObjectCallsInFlight');
