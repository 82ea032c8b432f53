import { RpcError, type RpcErrorCode } from '@lumenize/rpc';
import { printable, withoutControls } from './printable.ts';
import { UsageError } from './usage-error.ts';

/** The exit codes of the process. They say what happened to the call. */
export const EXIT = { WORKED: 0, THREW: 1, USAGE: 2, NOT_RUN: 3, UNKNOWN: 4, NOT_SHOWN: 5 } as const;

/** What each exit code means. */
export const MEANING: Readonly<Record<(typeof EXIT)[keyof typeof EXIT], string>> = {
  [EXIT.WORKED]: 'it worked',
  [EXIT.THREW]: 'the method threw',
  [EXIT.USAGE]: 'the command is wrong, and nothing was sent',
  [EXIT.NOT_RUN]: 'the call did not run',
  [EXIT.UNKNOWN]: 'nobody knows whether it ran, or all of it',
  [EXIT.NOT_SHOWN]: 'it ran, and its result was not shown, or not all of it',
};

/** An error of a call about which more is known than the error says. */
export class Failure extends Error {
  readonly exitCode: number;

  /** Gives an error another exit code. */
  constructor(cause: unknown, exitCode: number, message = '') {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

/** The exit code for each code. Three of them are about a call that did not run, or about the result of one that did. */
const EXIT_OF: Readonly<Record<RpcErrorCode, number>> = {
  NOT_EXECUTED: EXIT.NOT_RUN,
  OUTCOME_UNKNOWN: EXIT.UNKNOWN,
  NOT_FOUND: EXIT.NOT_RUN,
  METHOD_NOT_FOUND: EXIT.NOT_RUN,
  NOT_CLONEABLE: EXIT.UNKNOWN,
  TOO_LARGE: EXIT.UNKNOWN,
  LIMIT_EXCEEDED: EXIT.UNKNOWN,
  OVERLOADED: EXIT.NOT_RUN,
  RATE_LIMITED: EXIT.NOT_RUN,
  INVALID_ARGUMENTS: EXIT.NOT_RUN,
  MALFORMED_FRAME: EXIT.NOT_RUN,
  VERSION_MISMATCH: EXIT.NOT_RUN,
  DENIED: EXIT.NOT_RUN,
  EXPIRED: EXIT.NOT_RUN,
  REFERENCE_LOST: EXIT.NOT_RUN,
  CANCELLED: EXIT.UNKNOWN,
  TIMED_OUT: EXIT.UNKNOWN,
  INTERNAL: EXIT.UNKNOWN,
};

/** Advice for errors whose messages contain none. */
const ADVICE: Partial<Record<RpcErrorCode, string>> = {
  DENIED: 'Does the server want to know who you are? --token <token> shows a token to its authenticate().',
  EXPIRED: 'Get a new token, and give it with --token.',
  OUTCOME_UNKNOWN: 'It was sent, and the connection was lost before the answer: look whether it took effect.',
  METHOD_NOT_FOUND: '`lumenize-rpc describe <url>` lists what can be called, of an object that describes itself.',
};

/** Prints an error to stderr and returns the exit code of the process. */
export function reportFailure(error: unknown): number {
  if (error instanceof Failure) {
    const { cause, exitCode, message } = error;
    return say([textOf(cause), ...(message === '' ? [] : [message])].join('\n'), exitCode);
  }
  if (error instanceof UsageError) return say(textOf(error), EXIT.USAGE);
  if (!(error instanceof RpcError)) return say(textOf(error), EXIT.THREW);
  const advice = ADVICE[error.code];
  return say([textOf(error), ...(advice === undefined ? [] : [advice])].join('\n'), exitCodeOf(error));
}

/** Returns the exit code for an error of the library. A server may send any text as a code. */
export function exitCodeOf({ code }: RpcError): number {
  return Object.hasOwn(EXIT_OF, code) ? EXIT_OF[code] : EXIT.UNKNOWN;
}

function textOf(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  if (!(error instanceof RpcError)) return printable(withoutOwnFrames(error));
  const details = error.data === undefined ? [] : [printable(error.data)];
  return [`${error.code}: ${error.message}`, ...details].join('\n');
}

function say(text: string, exitCode: number): number {
  process.stderr.write(`${withoutControls(text)}\n`);
  return exitCode;
}

/** Returns the error without the stack lines of this program. They explain nothing about the object's error. */
function withoutOwnFrames(error: unknown): unknown {
  if (!(error instanceof Error) || error.stack === undefined) return error;
  const isOwn = (line: string) => line.startsWith('    at ') && line.includes('file://');
  error.stack = error.stack
    .split('\n')
    .filter((line) => !isOwn(line))
    .join('\n');
  return error;
}
