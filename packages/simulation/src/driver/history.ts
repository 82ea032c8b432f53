import type { CallSpec, MethodSpec } from '../programs/program.ts';

/** The error that a call was rejected with: its code, and its message. */
export interface Told {
  readonly code: string | undefined;
  readonly message: string;
}

/** A client from the time it connects until it is closed or reloaded, or the run ends. */
export interface Life {
  readonly client: number;
  readonly number: number;
  readonly from: number;
  until: number;
  /** How the client ended, if it ended before the run. */
  ended?: 'close' | 'reload';
  /** When its first connection was open. */
  openedAt?: number;
  /** The times at which the client lost its connection, or could not connect any more. */
  readonly losses: number[];
  /** The times at which its tokens became those of another user, and at which the connection had shown one. */
  readonly changes: { readonly at: number; until: number }[];
  /** The number of generators and streams of this side that have begun and not ended. */
  producers: number;
  /** The faults that the client noticed itself. */
  readonly wrong: string[];
}

/** A call that a client made, and its complete outcome. */
export interface CallRecord {
  /** The key of the call, unique in its program. */
  readonly key: string;
  readonly life: Life;
  readonly spec: CallSpec;
  readonly method: MethodSpec;
  readonly name: string;
  /** The position of the call among all calls of its program, by the time it was made. */
  readonly made: number;
  readonly at: number;
  /** The call whose result is the argument of this call. */
  readonly uses: CallRecord | undefined;
  /**
   * True if the call was made in the turn of its step, from the connection's target and without waiting for another
   * call.
   */
  readonly direct: boolean;
  /** The users whose call it may be: two if the tokens were another user's by then, and the connection was not told. */
  readonly who: readonly string[];
  /** The user who got the stub that the call was made through, if it was kept. */
  keptBy?: readonly string[];
  settledAt?: number;
  ok?: boolean;
  told?: Told;
  /** True if its client has forgotten the call, with everything else. */
  isForgotten?: boolean;
  /** True if only the way to the method's target has been called so far. */
  onItsWay?: boolean;
  value?: unknown;
  /** The argument as the method returned it, if the argument is a value. */
  back?: { readonly value: unknown };
  /** The elements that arrived from lists, streams and callbacks. */
  items: number[];
  /** How reading ended: with all elements, by leaving, or with an error. */
  end?: 'all' | 'left' | Told;
  /** The numbers of the calls of a callback or a target of the client, in order. */
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
  /** True if it is read until everything has arrived. */
  isOpen: boolean;
  /** True if it was still read at the end, when its user had left. */
  isOfAnother?: boolean;
}

/** Everything that happened to the clients of a program. */
export interface History {
  readonly calls: CallRecord[];
  readonly lives: Life[];
  /** The number of faults of each kind. */
  readonly faults: Record<string, number>;
  /** The time at which the next version of the class was installed. */
  deployedAt?: number;
  /** The total time of faults that keep clients from the object, in milliseconds. */
  outageMs: number;
  /** Entries left in the library's tables after everything was released, by client. */
  readonly left: string[];
}

export function toldOf(error: unknown): Told {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return { code: typeof code === 'string' ? code : undefined, message: String(message ?? error) };
}
