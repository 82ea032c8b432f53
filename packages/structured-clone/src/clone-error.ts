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

/** Refuses input that no encoder writes. If `what` is a mark, the error names the type. */
export function malformed(what: string): never {
  throw new CloneError('MALFORMED', `malformed: ${what.replace('$', '')}`);
}

/** Refuses to decode a type or a class, because it is unknown or the options refuse it. */
export function notAccepted(name: string, why = 'the option refuse names it'): never {
  throw new CloneError('NOT_CLONEABLE', `${name} is not accepted here: ${why}`);
}
