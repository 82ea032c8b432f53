/** A kind of programs that is known to fail, and is only drawn on request. */
export interface KnownSituation {
  /** The row of issue 33, which says what is wrong. */
  readonly row: number;
  /** What programs have that are drawn for it. */
  readonly what: string;
  readonly why: string;
  /**
   * A seed, and which of its programs fails, which `test/checks/known-situations.ts <index>` finds; or a program of
   * `programs/known`.
   */
  readonly example: { readonly seed: number; readonly place: number } | { readonly program: string };
  /** What the model says of it. */
  readonly says: RegExp;
}

/** The situations in which the present core does not keep what the model asserts. */
export const KNOWN_SITUATIONS: readonly KnownSituation[] = [
  {
    row: 22,
    what: 'a deploy by which a method runs exactly once that did not before',
    why: 'a call without a stored result counts as one that did not run, whatever its method declared then',
    example: { seed: 2, place: 213 },
    says: /ran again under version 1, which declares it exactlyOnce/,
  },
  {
    row: 22,
    what: 'a deploy that adds a guard to a method, or removes the method',
    why: 'a call that is sent again is refused as if it had not run',
    example: { program: 'a-guard-that-a-deploy-adds-refuses-a-call-that-ran' },
    says: /\((DENIED|METHOD_NOT_FOUND)\): is said not to have run/,
  },
  {
    row: 24,
    what: 'a client that logs out, and tells its connection',
    why: 'authenticate() without a token rejects, and the session stays logged in',
    example: { seed: 1, place: 11 },
    says: /of nobody: ran as|goes on, and its user has left/,
  },
  {
    row: 25,
    what: 'a client whose tokens become those of another user, which its next connection shows',
    why: 'calls that wait or are lost are sent over the next connection, whoever it belongs to',
    example: { seed: 1, place: 7 },
    says: /ran as \d (first|second)/,
  },
  {
    row: 26,
    what: 'a client that logs in as another user, and tells its connection',
    why: 'the connection, with its stubs and subscriptions, goes on under the new identity or under the old one',
    example: { seed: 1, place: 99 },
    says: /ran through a stub of|goes on, and its user has left/,
  },
  {
    row: 28,
    what: 'a target() that throws for a time',
    why: 'the error of target() ends the connection for good',
    example: { seed: 1, place: 2 },
    says: /ended with INTERNAL/,
  },
];
