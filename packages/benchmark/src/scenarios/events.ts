import { eventsOf } from '../events/audience.ts';
import { expectAnswer, type Scenario } from './scenario.ts';

/** What a library says once in many events comes at least once in so many, at the same place in them. */
const COUNTED_EVENTS = 128;

/**
 * `turns` times `events` events published in one turn, each turn begun when every subscriber has seen the one before. The
 * audience is there already.
 */
export function fanOut(name: string, subscribers: number, turns: number, events = 1): Scenario {
  const scenario = {
    family: 'events',
    name,
    sample: 'delivery',
    increments: 0,
    ownObject: true,
    audience: subscribers,
  } as const;
  const operations = turns * events;
  const countedTurns = Math.ceil(COUNTED_EVENTS / events);
  return {
    ...scenario,
    operations,
    async measure(bench, samplesMs) {
      // What runs first after another arm's turn finds cold caches, and what that left to be done.
      await publishTurns(bench, 1, 1, []);
      const totalMs = await publishTurns(bench, turns, events, samplesMs);
      expectAnswer('the number of deliveries', samplesMs.length, operations * subscribers);
      return totalMs;
    },
    counted: {
      ...scenario,
      operations: countedTurns * events,
      measure: (bench, samplesMs) => publishTurns(bench, countedTurns, events, samplesMs),
    },
  };
}

async function publishTurns(
  { connection, audience }: Parameters<Scenario['measure']>[0],
  turns: number,
  events: number,
  samplesMs: number[],
): Promise<number> {
  const publisher = eventsOf(connection);
  let totalMs = 0;
  for (let turn = 0; turn < turns; turn++) totalMs += await audience!.hear(publisher, events, samplesMs);
  return totalMs;
}
