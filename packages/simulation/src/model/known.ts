import type { Facts } from './facts.ts';

/** Something that is known to go wrong, and why nobody mends it for now. What it explains does not fail a program. */
export interface KnownDefect {
  readonly why: string;
  explains(wrong: string, facts: Facts): boolean;
}

/** The list is to become empty. */
export const KNOWN: readonly KnownDefect[] = [
  {
    why: 'a call that returns a subscription goes on by being made again, also where its caller has given it up',
    explains: (wrong, { history }) =>
      wrong.includes('ran twice') &&
      history.calls.some(
        ({ key, method, told }) =>
          wrong.startsWith(`${key} `) && method.returns === 'subscription' && GIVEN_UP.has(told?.code),
      ),
  },
];

const GIVEN_UP: ReadonlySet<string | undefined> = new Set(['CANCELLED', 'TIMED_OUT']);
