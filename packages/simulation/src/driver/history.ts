import type { CallSpec, MethodSpec } from '../programs/program.ts';

/** The outcome that somebody who waited was told: undefined for success, else the error's code, or its message where it has none. */
export interface Told {
  readonly code: string | undefined;
  readonly message: string;
}

/** A client from when it connected to when it was closed, reloaded or the run ended. */
export interface Life {
  readonly client: number;
  readonly number: number;
  readonly from: number;
  until: number;
  /** The way in which it ended, where it did before the run. */
  ended?: 'close' | 'reload';
  /** True if it had a connection by which to say that it closed. */
  isToldOf?: boolean;
  /** When it had no connection any more, or not for good. */
  readonly losses: number[];
  /** Generators and streams of this side that have begun and not ended. */
  producers: number;
  /** Faults that it noticed itself. */
  readonly wrong: string[];
}

/** A call that a client made, and all that became of it. */
export interface CallRecord {
  /** Unique in its program. */
  readonly key: string;
  readonly life: Life;
  readonly spec: CallSpec;
  readonly method: MethodSpec;
  readonly name: string;
  /** The place of the call among all of its program, by when it was made. */
  readonly made: number;
  readonly at: number;
  /** The call whose result is its argument. */
  readonly uses: CallRecord | undefined;
  /** True if the call was made in the turn of its step, from the connection's target without waiting for another one. */
  readonly direct: boolean;
  settledAt?: number;
  ok?: boolean;
  told?: Told;
  /** True if its client has forgotten it, with everything else. */
  isForgotten?: boolean;
  /** True if only the way to the method's target was called yet. */
  onItsWay?: boolean;
  value?: unknown;
  /** The argument as the method says that it was given it, where that is a value. */
  back?: { readonly value: unknown };
  /** Elements that arrived, of lists, streams, callbacks. */
  items: number[];
  /** True if it went through all there is, left, or was told why not. */
  end?: 'all' | 'left' | Told;
  /** Numbers of the calls of a callback or a target of the client, in order. */
  readonly callbacks: number[];
  subscription?: SubscriptionRecord;
  mapped?: { readonly name: string; readonly method: MethodSpec };
}

export interface SubscriptionRecord {
  readonly topic: number;
  readonly since: number | undefined;
  readonly items: {
    readonly sequence: number;
    readonly event?: { key: string; value: number };
    readonly missed?: number;
  }[];
  /** True if it is to be gone through until all has arrived. */
  isOpen: boolean;
}

/** All that happened at the clients of a program. */
export interface History {
  readonly calls: CallRecord[];
  readonly lives: Life[];
  /** Faults that were brought about: how many of each kind. */
  readonly faults: Record<string, number>;
  /** Time that faults lasted that keep clients from the object. */
  outageMs: number;
  /** Leftovers of the library's tables after everything was let go of, by client. */
  readonly left: string[];
}

export function toldOf(error: unknown): Told {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return { code: typeof code === 'string' ? code : undefined, message: String(message ?? error) };
}
