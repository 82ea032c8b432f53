import type { ObservedCall } from '../session/observe/observed-call.ts';

const MAX_LENGTH = 100;

/** What is called, cut: it may come from the other side, and is as long as that likes. */
export function shortMethod({ method }: ObservedCall): string {
  return method.slice(0, MAX_LENGTH);
}
