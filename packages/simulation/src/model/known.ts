import type { Facts } from './facts.ts';

/** Something that is known to go wrong, and why nobody mends it for now. What it explains does not fail a program. */
export interface KnownDefect {
  readonly why: string;
  explains(wrong: string, facts: Facts): boolean;
}

/** The list is to become empty. */
export const KNOWN: readonly KnownDefect[] = [
  {
    why: 'a target that a method returns beyond maxReferences is not disposed of',
    explains: (wrong, { history, program }) =>
      wrong.endsWith('targets left') &&
      (program.target.options.maxReferences !== undefined ||
        history.calls.some(({ told }) => told?.code === 'LIMIT_EXCEEDED')),
  },
  {
    why: 'what is passed to a call that is refused may stay imported, also after garbage was collected',
    explains: (wrong, { history }) =>
      /(imports of client \d+|exports) left$/.test(wrong) &&
      history.calls.some(({ method, ok }) => BY_REFERENCE.has(method.takes) && ok !== true),
  },
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

const BY_REFERENCE: ReadonlySet<string> = new Set(['callback', 'target']);
const GIVEN_UP: ReadonlySet<string | undefined> = new Set(['CANCELLED', 'TIMED_OUT']);
