/**
 * The code of a call that failed. It says what is known about the call. Errors that a method throws have no code: they
 * arrive as they were thrown. `npm run tool -- error-table` makes the table in docs/guides/errors.md from this list: what each
 * code means, whether the call ran, and what to do.
 *
 * - `NOT_EXECUTED`: There was no connection, the connection ended before the call was sent, or another call of the same
 *   frame was refused.
 *   Ran: no. To do: repeat the call.
 * - `OUTCOME_UNKNOWN`: The connection was lost after the call was sent, and the method is not declared safe to call
 *   again.
 *   Ran: perhaps. To do: find out whether it ran, and call again only if running twice does no harm.
 * - `NOT_FOUND`: The URL names no known binding, or no instance.
 *   Ran: no. To do: read the message, which names the missing part and shows a valid URL.
 * - `METHOD_NOT_FOUND`: The target declares no such method or getter.
 *   Ran: no. To do: check the name, and that the class extends `RpcTarget`.
 * - `NOT_CLONEABLE`: An argument or a result holds a value that cannot be sent; the message gives the path to it.
 *   Ran: not if it is an argument. To do: send another value, or register its class.
 * - `TOO_LARGE`: A call or a result exceeds the size limit of a message, or a result exceeds that of a stored result.
 *   Ran: not if the call is too large. To do: send less, or use a stream.
 * - `LIMIT_EXCEEDED`: A call or a result exceeds a limit of the connection, which the message names.
 *   Ran: not if the call exceeds it. To do: send less at a time; dispose of stubs.
 * - `OVERLOADED`: The object has too much to do at the moment, or too many calls wait for a connection.
 *   Ran: no. To do: repeat the call a little later.
 * - `RATE_LIMITED`: The caller exceeded a rate limit, which bounds the operations in a period of time.
 *   Ran: no. To do: repeat the call after `error.data.retryAfterMs` milliseconds.
 * - `INVALID_ARGUMENTS`: The method's schema refused the arguments. Ran: no. To do: read `error.data.issues`.
 * - `MALFORMED_FRAME`: One side sent a frame that breaks the protocol.
 *   Ran: no. To do: look for a bug, or for an intermediary that alters frames.
 * - `VERSION_MISMATCH`: The two sides share no version of the protocol. Ran: no. To do: reload the page.
 * - `DENIED`: The caller may not connect, or may not make this call. Ran: no. To do: log in; check `allowedOrigins`.
 * - `EXPIRED`: The caller's identity has expired.
 *   Ran: no. To do: connect with a new token; a client whose `token` is a function has already tried this.
 * - `REFERENCE_LOST`: The object behind a stub is gone: it was disposed of, lost with its connection, or forgotten in
 *   hibernation.
 *   Ran: no. To do: get a new stub.
 * - `CANCELLED`: The caller's signal was aborted. Ran: perhaps. To do: nothing, or the same as for `OUTCOME_UNKNOWN`.
 * - `TIMED_OUT`: The caller's timeout has passed. Ran: perhaps. To do: nothing, or the same as for `OUTCOME_UNKNOWN`.
 * - `INTERNAL`: The other side failed because of a bug, and does not send the details.
 *   Ran: perhaps. To do: read the server's log.
 */
export type RpcErrorCode = (typeof RPC_ERROR_CODES)[number];

/** All codes. Frames carry a code by its name, so the order of this list has no meaning. */
export const RPC_ERROR_CODES = [
  'NOT_EXECUTED',
  'OUTCOME_UNKNOWN',
  'NOT_FOUND',
  'METHOD_NOT_FOUND',
  'NOT_CLONEABLE',
  'TOO_LARGE',
  'LIMIT_EXCEEDED',
  'OVERLOADED',
  'RATE_LIMITED',
  'INVALID_ARGUMENTS',
  'MALFORMED_FRAME',
  'VERSION_MISMATCH',
  'DENIED',
  'EXPIRED',
  'REFERENCE_LOST',
  'CANCELLED',
  'TIMED_OUT',
  'INTERNAL',
] as const;

/**
 * - `retryable`: the call did not run, and may succeed when it is repeated.
 * - `reconnects`: a client that is refused with it connects again.
 * - `accepted`: a call that fails with it was not refused by the server.
 * - `callers`: the caller caused it or gave up; the side that answers has not failed.
 */
type Fact = 'retryable' | 'reconnects' | 'accepted' | 'callers';

interface Row {
  readonly is: Fact | 'none';
  /** HTTP status of a refusal. */
  readonly status: number;
  /** The code of the close that goes with it, if there is no closer one. */
  readonly close: number;
}

/** Requires a row for each code. */
type Total<Rows extends Readonly<Record<RpcErrorCode, Row>>> = Rows;

/**
 * The facts about each code, for the compiler only: they add no bytes to a page. The tables of other places are checked
 * against them, so that a new code needs a row here, and then a row in each table that a compiler error names.
 */
type CodeFacts = Total<{
  NOT_EXECUTED: { is: 'retryable' | 'reconnects' | 'accepted'; status: 500; close: 1011 };
  OUTCOME_UNKNOWN: { is: 'accepted'; status: 500; close: 1011 };
  NOT_FOUND: { is: 'none'; status: 404; close: 1011 };
  METHOD_NOT_FOUND: { is: 'callers'; status: 500; close: 1011 };
  NOT_CLONEABLE: { is: 'none'; status: 500; close: 1011 };
  TOO_LARGE: { is: 'none'; status: 413; close: 1009 };
  LIMIT_EXCEEDED: { is: 'none'; status: 500; close: 1008 };
  OVERLOADED: { is: 'retryable' | 'reconnects'; status: 503; close: 1011 };
  RATE_LIMITED: { is: 'retryable' | 'callers'; status: 429; close: 1008 };
  INVALID_ARGUMENTS: { is: 'callers'; status: 500; close: 1011 };
  MALFORMED_FRAME: { is: 'none'; status: 400; close: 1007 };
  VERSION_MISMATCH: { is: 'none'; status: 426; close: 1011 };
  DENIED: { is: 'callers'; status: 403; close: 1011 };
  EXPIRED: { is: 'callers'; status: 401; close: 4401 };
  REFERENCE_LOST: { is: 'accepted' | 'callers'; status: 500; close: 1011 };
  CANCELLED: { is: 'accepted' | 'callers'; status: 500; close: 1011 };
  TIMED_OUT: { is: 'accepted' | 'callers'; status: 500; close: 1011 };
  INTERNAL: { is: 'none'; status: 500; close: 1011 };
}>;

/** A table of all codes of which a fact is true. */
export type CodesThat<Asked extends Fact> = {
  readonly [Code in RpcErrorCode as Asked extends CodeFacts[Code]['is'] ? Code : never]: 1;
};

/** A table of all codes whose number is not the usual one, with that number. */
export type CodesBy<Kind extends 'status' | 'close', Usual extends number> = {
  readonly [Code in RpcErrorCode as CodeFacts[Code][Kind] extends Usual ? never : Code]: CodeFacts[Code][Kind];
};

/** A table that is looked into by any code. */
export type CodeTable<Content> = Readonly<Partial<Record<RpcErrorCode, Content>>>;

/** Codes of calls that did not run, and may succeed when they are repeated. */
const RETRYABLE: CodeTable<1> = {
  NOT_EXECUTED: 1,
  OVERLOADED: 1,
  RATE_LIMITED: 1,
} satisfies CodesThat<'retryable'>;

/** Options of an `RpcError`, in addition to its code and message. */
export interface RpcErrorOptions extends ErrorOptions {
  /** Details for programs, depending on the code. Any value that can be cloned. */
  data?: unknown;
}

/** Returns true for an instance of the class below in another copy: data that looks like one has no such getter. */
const isOfCopy = (error: Error | undefined) => error?.name === 'RpcError' && 'retryable' in error;

/**
 * The library's own error. Every call that neither returns nor throws its method's error rejects with an `RpcError`.
 */
export class RpcError extends Error {
  /** The code, which says what is known about the call. */
  readonly code: RpcErrorCode;
  /** Details for programs: `issues` with `INVALID_ARGUMENTS`, `retryAfterMs` with `RATE_LIMITED`. */
  readonly data: unknown;

  /** Creates an error with which a guard or a method can refuse a call. */
  constructor(code: RpcErrorCode, message: string, options?: RpcErrorOptions) {
    super(message, options);
    this.name = 'RpcError';
    this.code = code;
    this.data = options?.data;
  }

  /** Returns true for the errors of other copies of this package too, such as one for Workers beside one for pages. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a class that extends this one has only its own instances
    return super[Symbol.hasInstance](error) || (this === RpcError && isOfCopy(error as Error | undefined));
  }

  /** True if the call did not run, and may succeed when it is repeated later. */
  get retryable(): boolean {
    // A peer may send any text as a code.
    return RETRYABLE[this.code] === 1;
  }
}

/**
 * Returns the error itself if it is an `RpcError`, otherwise an `RpcError` with this code and the error as its cause.
 */
export function asRpcError(error: unknown, code: RpcErrorCode): RpcError {
  if (error instanceof RpcError) return error;
  return new RpcError(code, error instanceof Error ? error.message : String(error), { cause: error });
}

/** The error for what the other side may not send. It ends the connection. */
export class FrameError extends RpcError {}

/** Returns the error for a frame that breaks the protocol. */
export function malformed(what: string): FrameError {
  return new FrameError('MALFORMED_FRAME', `malformed: ${what}`);
}

/** The errors that this library made to refuse a call. What methods throw is reported, and these are not. */
const REFUSALS = new WeakSet<object>();

/** Returns an error with which this library refuses a call. */
export function refusal(code: RpcErrorCode, message: string, options?: RpcErrorOptions): RpcError {
  const error = new RpcError(code, message, options);
  REFUSALS.add(error);
  return error;
}

/** Returns true for an error with which this library refused a call. */
export function isRefusal(error: unknown): boolean {
  return REFUSALS.has(error as object);
}

/** Returns the error for a limit that is exceeded. */
export function exceeded<Name extends string>(
  name: Name,
  limits: Readonly<Record<Name, number>>,
  code: RpcErrorCode = 'LIMIT_EXCEEDED',
): RpcError {
  return refusal(code, `${name} of ${limits[name]} exceeded`);
}

/**
 * Returns the error for a value that cannot be sent, with the path to it behind `where`. `part` names what a place in a
 * list stands for. What getters of the value and promises in it throw is returned as it is.
 */
export function unsendable(error: unknown, where: string, part = '$&'): unknown {
  const { name, code, message } = error as { name?: unknown; code?: string; message?: string };
  if (name !== 'CloneError') return error;
  if (message!.startsWith('maxBytes')) {
    return refusal(
      'TOO_LARGE',
      `${where}${message!.replace('maxBytes', 'maxMessageBytes')}: send it in pieces, or as a stream`,
    );
  }
  const told = message!.replace(/^at value\[(\d+)\]/, part);
  const ours: RpcErrorCode = code === 'LIMIT_EXCEEDED' ? 'LIMIT_EXCEEDED' : 'NOT_CLONEABLE';
  return refusal(ours, where + told);
}
