/** The reason of a `CloneError`: the value cannot be cloned, the input is malformed, or a limit is exceeded. */
export type CloneErrorCode = 'NOT_CLONEABLE' | 'MALFORMED' | 'LIMIT_EXCEEDED';

/** The only error that encoding and decoding throw themselves. Errors thrown by getters of a value pass through. */
export class CloneError extends Error {
  /** The reason of the error. */
  declare readonly code: CloneErrorCode;
  /** The path in the value where the error occurred, such as `value.users[3].token`; undefined if it is not known. */
  declare readonly path: string | undefined;

  /** Creates an error. A registered class can throw one to refuse its payload. */
  constructor(code: CloneErrorCode, message: string, path?: string) {
    super(path ? `at ${path}: ${message}` : message);
    Object.assign(this, { name: 'CloneError', code, path });
  }
}

/** An error about one value. Its path and the advice are added before it leaves `write`. */
export interface Refusal extends CloneError {
  /** The value that is refused. Its path is only searched for once there is an error. */
  readonly subject: unknown;
}

/** Creates the error for a value that no type encodes. */
export function notCloneable(subject: unknown, what = describe(subject as object)): Refusal {
  return Object.assign(new CloneError('NOT_CLONEABLE', `${what} cannot be cloned`), { subject });
}

/** Creates the error for a type or class that is not decoded, because it is unknown or the options refuse it. */
export function notAccepted(name: string, why = 'the option refuse names it'): CloneError {
  return new CloneError('NOT_CLONEABLE', `${name} is not accepted here: ${why}`);
}

/** Creates the error for input that no encoder writes. If it names a mark, the error names the type. */
export function malformed(what: string): CloneError {
  return new CloneError('MALFORMED', `malformed: ${what.replace('$', '')}`);
}

/** Names the kind of a value that cannot be cloned, for an error message. */
export function describe(value: object): string {
  if (typeof value === 'function') return 'functions';
  return `instances of ${Object.getPrototypeOf(value)?.constructor?.name || 'unnamed classes'}`;
}
