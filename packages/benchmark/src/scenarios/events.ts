import { delay } from '../delay.ts';
import { Audience, eventsOf } from '../events/audience.ts';
import { type EventsConnection, messageOf } from '../events/events.ts';
import { expectAnswer, type Scenario } from './scenario.ts';

/** Events published before the clock starts: the first ones go through code that is not compiled yet. */
const FIRST_EVENTS = 3;
/** Time for the sockets of an audience to close, so that it is not part of the next block. */
const CLOSING_MS_PER_SUBSCRIBER = 0.2;

/** `turns` times `events` events published in one turn, each turn begun when every subscriber has seen the one before. */
export function fanOut(name: string, subscribers: number, turns: number, events = 1): Scenario {
  return {
    family: 'events',
    name,
    sample: 'delivery',
    operations: turns * events,
    increments: 0,
    ownObject: true,
    async measure({ connection, connect }, samplesMs) {
      const publisher = eventsOf(connection);
      const audience = await Audience.open(subscribers, connect);
      try {
        let published = 0;
        for (; published < FIRST_EVENTS; published++) await publish(publisher, audience, published, 1, []);
        let totalMs = 0;
        for (let turn = 0; turn < turns; turn++, published += events) {
          totalMs += await publish(publisher, audience, published, events, samplesMs);
        }
        expectAnswer('the number of deliveries', samplesMs.length, turns * events * subscribers);
        return totalMs;
      } finally {
        audience.close();
        await delay(subscribers * CLOSING_MS_PER_SUBSCRIBER);
      }
    },
  };
}

/** Publishes the next `events` events and returns the time until all are answered and every subscriber has seen them. */
async function publish(
  publisher: EventsConnection,
  audience: Audience,
  before: number,
  events: number,
  samplesMs: number[],
): Promise<number> {
  const messages = Array.from({ length: events }, (_, i) => messageOf(before + 1 + i));
  const start = performance.now();
  audience.publishing(before + events, samplesMs);
  const answers = Promise.all(messages.map((message) => publisher.publish(message)));
  const [numbers] = await Promise.all([answers, audience.everyone]);
  const elapsed = performance.now() - start;
  for (const [i, number] of numbers.entries()) expectAnswer('publish', number, before + 1 + i);
  return elapsed;
}
