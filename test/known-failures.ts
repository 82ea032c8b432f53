// Tests of the right behaviour that fail for now. Each of them runs, and has to fail as it is listed here: a test that
// passes by now is a failure too, until it is taken off the list.

/** A test, or a case of the contract, that is known to fail. */
export interface KnownFailure {
  /** The part and the name of a case of the contract, or the file and the name of a test. */
  readonly test: string;
  /** The row of issue 33, which says what is wrong. Issue 34 makes the test pass. */
  readonly row: number;
  readonly reason: string;
  /** What the failure says. A test that fails in another way is a failure. */
  readonly says: RegExp;
}

/** Content of generators and streams is encoded by the codec, whose own error is told with a path in the frame. */
const UNTRANSLATED = 'the error of the codec is told as it is, with the path in the frame and without the method';

export const KNOWN_FAILURES: readonly KnownFailure[] = [
  ...[
    'an item of an async generator that cannot be sent is NOT_CLONEABLE, with its method and the path in the item',
    'a chunk of a ReadableStream that cannot be sent is NOT_CLONEABLE, with its method and the path in the chunk',
    'an item of a generator in the arguments that cannot be sent is NOT_CLONEABLE, with its method and the path in the item',
    'an item above the limit of messages is TOO_LARGE, and names the limit',
    'the content of a promise in a result that cannot be sent is NOT_CLONEABLE, with its method and the path in it',
    'the content of a promise in the arguments that cannot be sent is NOT_CLONEABLE, with its method and the path in it',
  ].map((name) => ({ test: `unsendable content: ${name}`, row: 10, reason: UNTRANSLATED, says: /CloneError/ })),
];

/** Returns what is known about a test. `where` is the part of the contract, or the file of the test. */
export function knownFailure(where: string, name: string): KnownFailure | undefined {
  return KNOWN_FAILURES.find(({ test }) => test === `${where}: ${name}`);
}

/** Returns what is wrong with how a listed test ended; undefined if it failed as listed. */
export function surpriseOf({ says, row }: KnownFailure, failure: string | undefined): string | undefined {
  if (failure === undefined) return 'it passes by now: take it off the list in test/known-failures.ts';
  if (says.test(failure)) return undefined;
  return `it is known to fail with ${says}, see row ${row} in test/known-failures.ts, and fails in another way: ${failure}`;
}
