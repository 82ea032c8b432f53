import type { CallRecord, SubscriptionRecord } from '../driver/history.ts';
import { type Facts, nameOf } from './facts.ts';

/** Checks that each subscriber receives each event once, in order, or is told how many are missing. */
export function checkEvents(facts: Facts): string[] {
  return facts.history.calls.flatMap((call) =>
    call.subscription === undefined ? [] : checkSubscription(facts, call, call.subscription),
  );
}

function checkSubscription(facts: Facts, call: CallRecord, { topic, since, items }: SubscriptionRecord): string[] {
  const wrong: string[] = [];
  const say = (why: string) => wrong.push(`${nameOf(call)}: ${why}`);
  const { retain, persist } = facts.program.target.topics[topic];
  const newest = facts.run.report.newest[topic];
  const published = new Map<number, string>();
  for (const { what, method, value, key } of facts.run.report.rows) {
    if (what === 'publish' && method === `t${topic}`) published.set(value, key);
  }
  // An event sent before it was stored may belong to a run that was undone.
  const isLossy = persist !== undefined && (facts.had('crash', 'deploy', 'disk') || facts.endsObject);
  let last = since;
  for (const { sequence, event, missed } of items) {
    if (missed !== undefined) {
      if (last !== undefined && sequence !== last + missed)
        say(`was told that ${missed} were missed up to ${sequence}, after ${last}`);
      const first = sequence - missed + 1;
      const isRetained = newest - first < retain;
      if (isRetained && !isLossy && !mayForget(facts))
        say(`was told that ${missed} were missed up to ${sequence} of ${newest}, where ${retain} are retained`);
    } else {
      if (last !== undefined && sequence !== last + 1) say(`was given ${sequence} after ${last}`);
      const key = published.get(sequence);
      if (event === undefined) say(`was given nothing as ${sequence}`);
      else if (key !== event.key && !isLossy && !(persist !== undefined && isUndone(facts, event.key)))
        say(`was given ${event.key} as ${sequence}, which is ${key}`);
    }
    last = sequence;
  }
  return wrong;
}

/** Returns true if published events may have been undone, so that numbers are missing. */
function mayForget(facts: Facts): boolean {
  return facts.had('crash', 'disk');
}

/**
 * Returns true if the effects of a call may have been undone, which is unknown if its page was left before the answer.
 * An event published to a topic that stores later is not undone.
 */
function isUndone({ history }: Facts, key: string): boolean {
  return history.calls.some((call) => call.key === key && call.method.delivery === 'exactlyOnce' && call.ok !== true);
}
