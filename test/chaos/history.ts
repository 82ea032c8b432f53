import type { RpcErrorCode } from '@lumenize/rpc';
import type { ChaosCalls } from './chaos-calls.ts';

export type Method = Exclude<keyof ChaosCalls, 'follow'>;

/** What became of a call: `threw` is the method's own error, `pending` that nothing has become of it. */
export type Outcome = 'succeeded' | 'threw' | 'pending' | RpcErrorCode;

/** A call that a client made, and what became of it. */
export interface MadeCall {
  readonly method: Method;
  readonly client: number;
  /** The how-manieth call of its client. */
  readonly n: number;
  /** Places in the one sequence of beginnings and ends of all calls: so it is known which call ended before which began. */
  readonly begun: number;
  ended: number;
  outcome: Outcome;
  /** What it returned, where it succeeded. */
  value: number | undefined;
  /** How many milliseconds it took; NaN while it is pending. */
  tookMs: number;
  /** Its deadline; undefined where it had none. */
  readonly timeoutMs: number | undefined;
  /** What was thrown, where the outcome is none that a call may have. */
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
