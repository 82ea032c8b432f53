/** The reason of a `CloneError`: the value cannot be sent, the input is not an encoding, or a limit was passed. */
export type CloneErrorCode = 'NOT_CLONEABLE' | 'MALFORMED' | 'LIMIT_EXCEEDED';

/** The only error that encoding and decoding throw of themselves; errors of a value's own getters pass through. */
export class CloneError extends Error {
  /** The code of what went wrong. */
  declare readonly code: CloneErrorCode;
  /** Path of the trouble in the value, such as `value.users[3].token`; undefined if it cannot be told. */
  declare readonly path: string | undefined;

  /** Makes one, for a registered class that refuses its payload. */
  constructor(code: CloneErrorCode, message: string, path?: string) {
    super(path ? `at ${path}: ${message}` : message);
    Object.assign(this, { name: 'CloneError', code, path });
  }
}

/** An error that `located` completes before it is thrown on. */
export interface Refusal extends CloneError {
  /** The very value that it is about, from which the path is worked out once it is known that there is an error. */
  readonly subject: unknown;
}

/** Makes the error for a value that no handler takes. */
export function notCloneable(subject: unknown, what = describe(subject as object)): Refusal {
  return Object.assign(new CloneError('NOT_CLONEABLE', `${what} cannot be cloned`), { subject });
}

/** Makes the error for a type or class that is not decoded, because it is not known or the options refuse it. */
export function notAccepted(name: string, why = 'the option refuse names it'): CloneError {
  return new CloneError('NOT_CLONEABLE', `${name} is not accepted here: ${why}`);
}

/** Makes the error for input that no encoder writes. */
export function malformed(what: string): CloneError {
  return new CloneError('MALFORMED', `malformed: ${what}`);
}

/** Names the kind of a value that cannot be cloned, for an error message. */
export function describe(value: object): string {
  if (typeof value === 'function') return 'functions';
  return `instances of ${Object.getPrototypeOf(value).constructor?.name || 'unnamed classes'}`;
}
