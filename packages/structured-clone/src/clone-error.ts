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

/** What is thrown while a value is written that holds something that cannot be cloned. `write` makes an error of it. */
export class Refusal {
  /** What is refused. */
  readonly subject: unknown;
  /** What it is called. `explain` finds a better name, if the codec has it. */
  readonly what: string | undefined;
  /** What to do instead. */
  readonly advice: string | undefined;
  /** The path to the subject, from the value that is being written. Each level adds its step. */
  path = '';

  constructor(subject: unknown, what?: string, advice?: string) {
    this.subject = subject;
    this.what = what;
    this.advice = advice;
  }
}

/** Adds a step to the path of a refusal. Returns the error. */
export function placed(error: unknown, step: string | number): unknown {
  if (error instanceof Refusal) {
    error.path = (typeof step === 'number' ? `[${step}]` : step) + error.path;
  }
  return error;
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
