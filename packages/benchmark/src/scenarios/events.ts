import { type Connection, Unavailable } from '../subjects/subject.ts';
import { type Message, messageOf } from '../work/work.ts';
import { Hearers } from './hearers.ts';
import { type Audience, type Bench, expectAnswer, type Scenario } from './scenario.ts';

/** The number of connections opened at once. A thousand at once would wait for each other. */
const OPENING = 50;
/** The number of events in each turn before any turn is timed. The first turns run code that is not compiled yet. */
const FIRST_TURNS = [...Array.from({ length: 8 }, () => 1), 5];

interface Delivery {
  readonly sequence: number;
  readonly message: Message;
}

/**
 * Opens `size` connections with `connect`, subscribes them, and publishes the first events to them with `publisher`.
 */
export async function openAudience(
  size: number,
  publisher: Connection,
  connect: () => Connection | Promise<Connection>,
): Promise<Audience> {
  const hearers = new Hearers<Delivery>('subscriber');
  let published = 0;
  const audience: Audience = {
    async hear(from, events, samplesMs) {
      const first = published + 1;
      published += events;
      const messages = Array.from({ length: events }, (_, i) => messageOf(first + i));
      const { everyoneMs } = await hearers.listen(events, samplesMs, async () => {
        const numbers = await Promise.all(messages.map((message) => from.publish(message)));
        for (const [i, number] of numbers.entries()) expectAnswer('publish', number, first + i);
        return { items: messages.map((message, i) => ({ sequence: first + i, message })) };
      });
      return everyoneMs;
    },
    close: () => hearers.close(),
  };
  const add = async () =>
    hearers.add(Promise.resolve(connect()), async ({ subscribe }, { hear, fail }) => {
      if (!subscribe) throw new Unavailable('it has no events');
      await subscribe<Message>({ fail, receive: (sequence, message) => hear({ sequence, message }) });
    });
  try {
    for (let opened = 0; opened < size; opened += OPENING) {
      const next = Array.from({ length: Math.min(OPENING, size - opened) }, add);
      // Waits for all of them, so that each is closed even if another one fails.
      for (const outcome of await Promise.allSettled(next)) if (outcome.status === 'rejected') throw outcome.reason;
    }
    for (const events of FIRST_TURNS) await audience.hear(publisher.work, events, []);
    return audience;
  } catch (error) {
    audience.close();
    throw error;
  }
}

/**
 * The minimum number of events to count frames for. A frame that is sent once in many events occurs at least once in
 * them.
 */
const COUNTED_EVENTS = 128;

/**
 * Publishes `turns` times `events` events in one turn. Each turn begins when every subscriber has received the one
 * before. The audience already exists.
 */
export function fanOut(name: string, subscribers: number, turns: number, events = 1): Scenario {
  const publish = async ({ connection, audience }: Bench, count: number, each: number, samplesMs: number[]) => {
    let totalMs = 0;
    for (let turn = 0; turn < count; turn++) totalMs += await audience!.hear(connection.work, each, samplesMs);
    return totalMs;
  };
  const ofTurns = (count: number): Scenario => ({
    ...{ name, sample: 'delivery', increments: 0, ownObject: true, audience: subscribers },
    operations: count * events,
    measure: (bench, samplesMs) => publish(bench, count, events, samplesMs),
  });
  return {
    ...ofTurns(turns),
    async measure(bench, samplesMs) {
      // The first turn after another arm's turn finds cold caches and unfinished work, so it is not timed.
      await publish(bench, 1, 1, []);
      const totalMs = await publish(bench, turns, events, samplesMs);
      expectAnswer('the number of deliveries', samplesMs.length, turns * events * subscribers);
      return totalMs;
    },
    long: subscribers >= 1000,
    counted: subscribers < 1000 && ofTurns(Math.ceil(COUNTED_EVENTS / events)),
  };
}

/**
 * Events for subscribers of one object, published one at a time and many in one turn. Scenarios with the same audience
 * follow one another, the smallest first, so that a busy machine has time for all but the largest.
 */
export const EVENT_SCENARIOS: readonly Scenario[] = [
  fanOut('events/to-1', 1, 40),
  fanOut('events/to-1-burst', 1, 3, 20),
  fanOut('events/to-100', 100, 10),
  fanOut('events/to-100-burst', 100, 1, 20),
  fanOut('events/to-1000', 1000, 2),
  fanOut('events/to-1000-burst', 1000, 1, 20),
];
