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

/** Bounds how fast one connection may call. */
export interface Rate {
  /** Takes operations, or returns why they may not run: then none are taken. */
  take(operations: number): RpcError | undefined;
  /** Takes operations that are known of only when they have run. */
  charge(operations: number): void;
}

/** Bounds that a side sets which serves strangers. */
export interface StrangerBounds {
  /** Returns the rate of the connection's caller, which goes on from an earlier one; null where there is none. */
  rate(before?: Rate | null): Rate | null;
  /** Ends the connection of a client that goes on although it is told again and again that it is too fast. */
  endTooFast(error: RpcError): void;
}

/** Refusals in a row for being too fast, after which the connection ends: clients of this library wait as they are told. */
const MAX_TOO_FAST = 100;

/**
 * Admits what arrives on one connection. Each frame is asked about once, when it has been read and before anything of it runs: its
 * memory, and its rate. Calls that are left running are counted, and further ones are refused while there are too many.
 */
export class Admission {
  readonly #limits: RpcLimits;
  readonly #waiting: Waiting;
  readonly #shared: SharedLoad;
  readonly #bounds: StrangerBounds | undefined;
  /** Null where the connection has no rate. */
  #rate: Rate | null;
  /** Frames in a row that came too fast. */
  #tooFast = 0;
  /** Calls that are running. Not by their ids: these are the other side's, which may have given one twice. */
  #calls = 0;

  /** Without `bounds`, as on a client, which has chosen its server, only running calls are limited. */
  constructor(limits: RpcLimits, waiting: Waiting, shared: SharedLoad, bounds?: StrangerBounds) {
    this.#limits = limits;
    this.#waiting = waiting;
    this.#shared = shared;
    this.#bounds = bounds;
    this.#rate = bounds?.rate() ?? null;
  }

  /** Returns why the calls of a frame may not run; undefined where they may, and then their operations are taken. */
  admit({ cost, charge }: CallFrame): RpcError | undefined {
    if (this.#bounds === undefined) return undefined;
    if (this.#waiting.fits(cost)) return this.take(charge);
    this.#tooFast = 0;
    return overloaded(`maxBytesInFlight of ${this.#waiting.max}`);
  }

  /** Takes operations, or returns why they may not run. */
  take(operations: number): RpcError | undefined {
    const error = this.#rate?.take(operations);
    if (error?.code !== 'RATE_LIMITED') this.#tooFast = 0;
    // After the answer to this frame, which says so, too.
    else if (++this.#tooFast === MAX_TOO_FAST) queueMicrotask(() => this.#bounds!.endTooFast(error));
    return error;
  }

  /** Takes operations that were not in a frame themselves. */
  charge(operations: number): void {
    this.#rate?.charge(operations);
  }

  /** Follows a caller whose identity has changed. What was taken of the connection's own rate stays taken. */
  renew(): void {
    this.#rate = this.#bounds?.rate(this.#rate) ?? null;
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

function overloaded(limit: string): RpcError {
  return new RpcError('OVERLOADED', `${limit} exceeded: call again when others have been answered`);
}

const FULL = overloaded('maxCallsInFlight');
const FULL_OBJECT = overloaded('maxObjectCallsInFlight');
