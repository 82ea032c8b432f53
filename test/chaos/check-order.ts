import type { MadeCall, Method } from './history.ts';

/** The counter that a value belongs to. */
type Counter = 'increment' | 'bump' | 'version';

const COUNTER_OF: Readonly<Record<Method, Counter>> = {
  increment: 'increment',
  getValue: 'increment',
  bump: 'bump',
  version: 'version',
};

/**
 * Checks that no counter goes back. A call that began after another one had ended returns at least the value of that
 * call, and more if it raised the counter itself. This holds for all clients together, and across crashes.
 */
export function checkOrder(calls: readonly MadeCall[]): string[] {
  const wrong: string[] = [];
  const succeeded = calls.filter(({ outcome }) => outcome === 'succeeded');
  const ends = [...succeeded].sort((a, b) => a.ended - b.ended);
  const highest: Record<Counter, number> = { increment: 0, bump: 0, version: 0 };
  let ended = 0;
  for (const call of [...succeeded].sort((a, b) => a.begun - b.begun)) {
    for (; ends[ended].ended < call.begun; ended++) {
      const counter = COUNTER_OF[ends[ended].method];
      highest[counter] = Math.max(highest[counter], ends[ended].value!);
    }
    const counter = COUNTER_OF[call.method];
    const least = highest[counter] + (call.method === counter && counter !== 'version' ? 1 : 0);
    if (call.value! < least) {
      wrong.push(
        `${call.method} ${call.n} of client ${call.client} returned ${call.value} when it had to be ${least} at least`,
      );
    }
  }
  return wrong;
}
