import type { RpcError } from '../../errors/rpc-error.ts';
import type { CallFrame } from '../../protocol/call-reader.ts';
import { overloaded, type Waiting } from '../../session/admission.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import type { Rate, RateGates } from './rates.ts';

/** Refusals in a row for being too fast, after which the connection ends: clients of this library wait as they are told. */
const MAX_TOO_FAST = 100;

/** Bounds what one client asks for: the memory of its frames, and how fast it calls. */
export class Gate {
  readonly #waiting: Waiting;
  readonly #rates: RateGates;
  readonly #endTooFast: (error: RpcError) => void;
  /** Null where the connection has no rate. */
  #rate: Rate | null;
  /** Frames in a row that came too fast. */
  #tooFast = 0;

  /** `endTooFast` ends the connection of a client that goes on although it is told again and again that it is too fast. */
  constructor(waiting: Waiting, rates: RateGates, caller: Caller | undefined, endTooFast: (error: RpcError) => void) {
    this.#waiting = waiting;
    this.#rates = rates;
    this.#rate = rates.open(caller);
    this.#endTooFast = endTooFast;
  }

  /** Returns why the calls of a frame may not run; undefined where they may, and then their operations are taken. */
  admit({ cost, charge }: CallFrame): RpcError | undefined {
    if (this.#waiting.fits(cost)) return this.take(charge);
    this.#tooFast = 0;
    return overloaded(`maxBytesInFlight of ${this.#waiting.max}`);
  }

  /** Takes operations, or returns why they may not run. */
  take(operations: number): RpcError | undefined {
    const error = this.#rate?.take(operations);
    if (error?.code !== 'RATE_LIMITED') this.#tooFast = 0;
    // After the answer to this frame, which says so, too.
    else if (++this.#tooFast === MAX_TOO_FAST) queueMicrotask(() => this.#endTooFast(error));
    return error;
  }

  /** Takes operations that are known of only when they have run, or have no answer. */
  charge(operations: number): void {
    this.#rate?.charge(operations);
  }

  /** Follows a caller whose identity has changed. What was taken of the connection's own rate stays taken. */
  renew(caller: Caller): void {
    this.#rate = this.#rates.open(caller, this.#rate);
  }
}
