import { type Facts, nameOf } from './facts.ts';

/**
 * Checks that nothing ran under another identity than the one under which it was made, that nothing went through a stub
 * of another user, and that no subscription went on after its user had left.
 */
export function checkIdentities(facts: Facts): string[] {
  return facts.history.calls.flatMap((call) => {
    const wrong: string[] = [];
    const say = (why: string) => wrong.push(`${nameOf(call)} of ${call.who.join(' or ')}: ${why}`);
    const keys = [call.key, ...(call.mapped === undefined ? [] : facts.keysOf(`${call.key}*`))];
    const runners = new Set<string>();
    for (const key of keys) for (const who of facts.runners(key)) runners.add(who);
    // A session has an identity from its first connection on.
    const isEarly = call.at <= (call.life.openedAt ?? Number.POSITIVE_INFINITY);
    for (const who of runners) if (!isEarly && !call.who.includes(who)) say(`ran as ${who}`);
    if (runners.size > 1) say(`ran as each of ${[...runners].join(', ')}`);
    if (runners.size > 0 && call.keptBy !== undefined && !call.keptBy.some((who) => runners.has(who))) {
      say(`ran through a stub of ${call.keptBy.join(' or ')}`);
    }
    if (call.subscription?.isOfAnother) say('goes on, and its user has left');
    return wrong;
  });
}
