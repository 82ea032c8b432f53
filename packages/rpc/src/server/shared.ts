import { RpcError } from '../errors.ts';
import type { CallContext, Caller } from '../types/call-context.ts';
import { defectBehind } from './defect.ts';
import { type RateLimits, Rates } from './rates.ts';
import { attempt, callHook, createErrorLog, type OnError, type OnRefused, refusalOf } from './report.ts';

/** Counts of what an object's connections have done since it woke. */
export interface Counts {
  callsSucceeded: number;
  callsFailed: number;
  framesReceived: number;
  framesSent: number;
  bytesReceived: number;
  bytesSent: number;
}

/** The decisions for all connections of an object, or of a Worker, and the reports about them. */
export interface SharedOptions {
  rateLimits?: RateLimits | undefined;
  onError?: OnError | undefined;
  onRefused?: OnRefused | undefined;
}

/** The state that all sessions of an object, or of a Worker, share. */
export class Shared {
  /** The number of asynchronous calls that are running. */
  calls = 0;
  readonly counts: Counts = {
    callsSucceeded: 0,
    callsFailed: 0,
    framesReceived: 0,
    framesSent: 0,
    bytesReceived: 0,
    bytesSent: 0,
  };
  /** Numbers of refusals, by the name of the limit, or by the code if no limit was exceeded. */
  readonly refusals = new Map<string, number>();
  readonly rates: Rates;
  private readonly onError: OnError;
  private readonly onRefused: OnRefused | undefined;

  constructor({ rateLimits, onError = createErrorLog(), onRefused }: SharedOptions) {
    this.rates = new Rates(rateLimits);
    this.onError = onError;
    this.onRefused = onRefused;
  }

  /** Reports what the application's own code threw. */
  error(error: unknown, method: string, call?: CallContext): void {
    callHook('onError', () => this.onError(error, method, call));
  }

  /** Calls a hook of the application, and reports its error. */
  tell(name: string, hook: () => unknown): void {
    attempt(hook, (error) => this.error(error, name));
  }

  /** Counts and reports a refusal, and the defect that has led to it, if one has. */
  refused(error: unknown, what: string, caller: Caller | undefined, call?: CallContext): void {
    const defect = defectBehind(error);
    if (defect !== undefined) this.error(defect.cause, what, call);
    const name = error instanceof RpcError ? refusalOf(error) : undefined;
    if (name === undefined) return;
    this.refusals.set(name, (this.refusals.get(name) ?? 0) + 1);
    callHook('onRefused', () => this.onRefused?.((error as RpcError).code, what, caller));
  }
}
