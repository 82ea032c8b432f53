import { RpcError } from '../../errors/rpc-error.ts';
import type { CallFrame } from '../../protocol/call-frame.ts';
import type { RpcLimits } from '../limits.ts';
import type { Waiting } from '../waiting.ts';

/** What all connections of an object come to. */
export interface SharedLoad {
  /** Calls that are running. */
  calls: number;
  /** Calls that were answered with a value, and with an error. */
  succeeded: number;
  failed: number;
}

/** The asynchronous calls of one connection that are running, and the frames that they came in. */
export class Load {
  readonly #limits: RpcLimits;
  readonly #shared: SharedLoad;
  readonly #waiting: Waiting;
  /** Of each frame, how many of its calls are running; while it waits for its turn, one more. */
  readonly #frames = new Map<CallFrame, number>();
  /** Not by their ids: these are the other side's, which may have given one twice. */
  #calls = 0;

  constructor(limits: RpcLimits, shared: SharedLoad, waiting: Waiting) {
    this.#limits = limits;
    this.#waiting = waiting;
    this.#shared = shared;
  }

  /** Why further calls may not run; undefined where they may. */
  get full(): RpcError | undefined {
    if (this.#calls >= this.#limits.maxCallsInFlight) return FULL;
    return fullObject(this.#limits, this.#shared);
  }

  /** A call is left running. */
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

  /** A frame stays in memory, until as many have let go of it. */
  hold(frame: CallFrame): void {
    const running = this.#frames.get(frame) ?? 0;
    if (running === 0) this.#waiting.bytes += frame.cost;
    this.#frames.set(frame, running + 1);
  }

  letGo(frame: CallFrame): void {
    const running = this.#frames.get(frame)! - 1;
    if (running > 0) return void this.#frames.set(frame, running);
    this.#frames.delete(frame);
    this.#waiting.bytes -= frame.cost;
  }
}

/** Why a frame that takes so much memory may not run, beside all that waits; undefined where it may. */
export function overload(waiting: Waiting, cost: number): RpcError | undefined {
  return waiting.fits(cost) ? undefined : overloaded(`maxBytesInFlight of ${waiting.max}`);
}

/** Why calls may not run, where too many do in the object; undefined where they may. */
export function fullObject({ maxObjectCallsInFlight }: RpcLimits, { calls }: SharedLoad): RpcError | undefined {
  return calls >= maxObjectCallsInFlight ? FULL_OBJECT : undefined;
}

function overloaded(limit: string): RpcError {
  return new RpcError('OVERLOADED', `${limit} exceeded: call again when others have been answered`);
}

const FULL = overloaded('maxCallsInFlight');
const FULL_OBJECT = overloaded('maxObjectCallsInFlight');
