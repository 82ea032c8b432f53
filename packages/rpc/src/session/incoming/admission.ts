import { RpcError } from '../../errors/rpc-error.ts';
import type { CallFrame } from '../../protocol/call-reader.ts';
import type { RpcLimits } from '../limits.ts';
import type { Waiting } from '../waiting.ts';

/** Load of an object, over all of its connections. */
export interface SharedLoad {
  /** Calls that are running. */
  calls: number;
  /** Calls that were answered with a value, and with an error. */
  succeeded: number;
  failed: number;
}

/** Bounds what the other side may ask for, where it is a stranger. */
export interface Bounds {
  /** Returns why the calls of a frame may not run; undefined where they may, and then their operations are taken. */
  admit(frame: CallFrame): RpcError | undefined;
  /** Takes operations that are known of only when they have run, or have no answer. */
  charge(operations: number): void;
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
