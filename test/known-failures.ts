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
  ...[
    'an answer comes after the event of its call where the object ended in between',
    'an answer that was lost comes after the event of its call',
  ].map((name) => ({
    test: `topics-order: ${name}`,
    row: 3,
    reason: 'calls are sent again before subscriptions go on',
    says: /to deeply equal \[\]/,
  })),
  ...['up', 'down'].map((way) => ({
    test: `slow-links: a large message ${way} that takes longer than the heartbeat does not cut the connection`,
    row: 5,
    reason: 'only a message that has arrived is a sign of life, not the bytes of one that is under way',
    says: /no sign of life/,
  })),
  {
    test: 'deploys: that add exactlyOnce do not run again what ran before',
    row: 22,
    reason: 'a call without a stored result counts as one that did not run, whatever its method declared then',
    says: /'added by Ada', 'added by Ada'|Array\(2\)/,
  },
  {
    test: 'deploys: that add a guard do not say of a call that ran that it did not',
    row: 22,
    reason: 'a call that is sent again is refused as if it had not run',
    says: /expected 'DENIED' to be 'OUTCOME_UNKNOWN'/,
  },
  {
    test: 'deploys: whose target() throws for a time make clients try again',
    row: 28,
    reason: 'the error of target() ends the connection for good',
    says: /the connection is closed: target\(\) failed/,
  },
  {
    test: 'topics-kept: a subscription does not keep the calls that were sent along with it',
    row: 28,
    reason: 'a subscription goes on by sending its frame again, as it was',
    says: /expected 100\d{4} to be less than 10000/,
  },
  {
    test: 'topics-kept: a topic that is deleted leaves nothing in storage, and its subscribers are told',
    row: 28,
    reason: 'subscribers of a topic that is deleted are not told when one of its name begins',
    says: /toHaveProperty/,
  },
  ...['undefined', "''"].flatMap((token) => [
    {
      test: `identity: is refused where everybody has to be known, and subscriptions end (${token})`,
      row: 24,
      reason: 'authenticate() without a token rejects, and the session stays logged in, with its subscriptions',
      says: /'NOT_EXECUTED' to be 'DENIED'|'never' to be 'EXPIRED'/,
    },
    {
      test: `identity: goes on as nobody where anybody may connect, and subscriptions end (${token})`,
      row: 24,
      reason: 'authenticate() without a token rejects, and the session stays logged in, with its subscriptions',
      says: /'(NOT_EXECUTED|DENIED)' to be undefined/,
    },
  ]),
  ...['strict', 'lenient', 'connecting'].flatMap((kind) => [
    {
      test: `identity: does not run calls that waited under another identity (${kind})`,
      row: 25,
      reason: 'calls that wait are sent over the next connection, whoever it belongs to',
      says: /to deeply equal \[ 'EXPIRED', 'EXPIRED', 'EXPIRED' \]/,
    },
    {
      test: `identity: does not run calls that were in flight under another identity (${kind})`,
      row: 25,
      reason: 'calls that are lost are sent again over the next connection, whoever it belongs to',
      says: /'never' to be 'OUTCOME_UNKNOWN'/,
    },
    {
      test: `identity: serves another user who logs in as a new session (${kind})`,
      row: 26,
      reason: 'the connection is handed on to the other user, or stays with the first one',
      says: /'DENIED' to be undefined|'never' to be 'OUTCOME_UNKNOWN'|expected 3 to be 2/,
    },
    {
      test: `identity: ends the subscriptions of one user before the next is served (${kind})`,
      row: 26,
      reason: 'a subscription goes on under the new identity, or stays with the first one',
      says: /'never' to be 'EXPIRED'|\[ 'Ada', 'Ada' \] to deeply equal \[ 'Bob', 'Bob' \]/,
    },
  ]),
  {
    test: 'identity: does not hand a place of one user to the next (strict)',
    row: 26,
    reason: 'the connection stays with the first user, who has logged out',
    says: /\[ 'Ada', 'Ada' \] to deeply equal \[ 'Bob', 'Bob' \]/,
  },
  {
    test: 'identity: does not hand a place of one user to the next (lenient)',
    row: 26,
    reason: 'a restorable stub is made again for whoever the connection belongs to by then',
    says: /expected 1 to be 'REFERENCE_LOST'/,
  },
  {
    test: 'identity: a server ends one subscription, with a reason, and the connection goes on',
    row: 26,
    reason: 'a connection has no unsubscribe()',
    says: /unsubscribe is not a function/,
  },
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
