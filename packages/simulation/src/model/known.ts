import type { Facts } from './facts.ts';

/** Something that is known to go wrong, and why nobody mends it for now. What it explains does not fail a program. */
export interface KnownDefect {
  readonly why: string;
  explains(wrong: string, facts: Facts): boolean;
}

/** The list is to become empty. */
export const KNOWN: readonly KnownDefect[] = [
  {
    why: 'a client that leaves does not say so where it was never answered what the object has stored',
    explains: (wrong, { history }) =>
      wrong.includes('stored results left') &&
      history.calls.some(({ method, told }) => method.delivery === 'exactlyOnce' && told !== undefined),
  },
];
