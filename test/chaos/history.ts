import type { RpcErrorCode } from '@lumenize/rpc';
import type { ChaosCalls } from './chaos-calls.ts';

export type Method = Exclude<keyof ChaosCalls, 'follow'>;

/** The outcome of a call. `threw` is an error of the method itself; a call that has not settled is `pending`. */
export type Outcome = 'succeeded' | 'threw' | 'pending' | RpcErrorCode;

/** A call of a client, and its outcome. */
export interface MadeCall {
  readonly method: Method;
  readonly client: number;
  /** The number of the call among those of its client, from 1. */
  readonly n: number;
  /** Places of its beginning and its end in the one sequence of all calls. */
  readonly begun: number;
  ended: number;
  outcome: Outcome;
  /** The result, if the call succeeded. */
  value: number | undefined;
  /** The duration in milliseconds; NaN while it is pending. */
  tookMs: number;
  /** Its deadline; undefined if it has none. */
  readonly timeoutMs: number | undefined;
  /** The text of the error; undefined if the call succeeded. */
  message: string | undefined;
}

/** All calls of a run, in the order they were made. */
export class History {
  readonly calls: MadeCall[] = [];
  #moment = 0;

  begin(method: Method, client: number, n: number, timeoutMs: number | undefined): MadeCall {
    const call: MadeCall = {
      method,
      client,
      n,
      begun: this.#moment++,
      ended: Number.POSITIVE_INFINITY,
      outcome: 'pending',
      value: undefined,
      tookMs: Number.NaN,
      timeoutMs,
      message: undefined,
    };
    this.calls.push(call);
    return call;
  }

  end(call: MadeCall, outcome: Outcome, tookMs: number): void {
    call.ended = this.#moment++;
    call.outcome = outcome;
    call.tookMs = tookMs;
  }
}
