import type { Connection } from '../subjects/subject.ts';
import { Unavailable } from '../subjects/unavailable.ts';
import { type EventsConnection, type Message, messageOf, type Receiver } from './events.ts';

/** Connections opened at a time: a thousand at once would wait for each other. */
const OPENING = 50;
/** Turns of so many events that are published before any is timed: the first ones go through code that is not compiled yet. */
const FIRST_TURNS = [...Array.from({ length: 8 }, () => 1), 5];

/**
 * Subscribers of one object, each on a connection of its own. Each has to be sent every event once, in order and as it was
 * published: else whoever waits for an event is told.
 */
export class Audience {
  readonly size: number;
  /** What each event has to be and when it was published, by its number. */
  readonly #published: { readonly expected: Message; readonly at: number }[] = [];
  readonly #connections: Connection[] = [];
  /** How many subscribers have seen the event that is waited for. */
  #seen = 0;
  #awaited = 0;
  #samplesMs: number[] = [];
  #all = Promise.withResolvers<void>();
  #failure: Error | undefined;

  /** Opens `size` connections with `connect`, subscribes them and has them hear the first events that `publisher` publishes. */
  static async open(
    size: number,
    publisher: Connection,
    connect: () => Connection | Promise<Connection>,
  ): Promise<Audience> {
    const audience = new Audience(size);
    try {
      for (let opened = 0; opened < size; opened += OPENING) {
        const next = Array.from({ length: Math.min(OPENING, size - opened) }, () => audience.#add(connect));
        // All of them, so that each is closed however another one ends.
        for (const outcome of await Promise.allSettled(next)) if (outcome.status === 'rejected') throw outcome.reason;
      }
      for (const events of FIRST_TURNS) await audience.hear(eventsOf(publisher), events, []);
      return audience;
    } catch (error) {
      audience.close();
      throw error;
    }
  }

  private constructor(size: number) {
    this.size = size;
  }

  /**
   * Publishes the next `events` events in one turn and returns the time in ms until all are answered and every subscriber
   * has seen them; what each delivery takes goes to `samplesMs`. Rejects where an answer is wrong, or what one subscriber
   * was sent.
   */
  async hear(publisher: EventsConnection, events: number, samplesMs: number[]): Promise<number> {
    const before = this.#published.length;
    const messages = Array.from({ length: events }, (_, i) => messageOf(before + 1 + i));
    const start = performance.now();
    this.#publishing(messages, start, samplesMs);
    const answers = Promise.all(messages.map((message) => publisher.publish(message)));
    const [numbers] = await Promise.all([answers, this.#all.promise]);
    const elapsed = performance.now() - start;
    for (const [i, number] of numbers.entries()) {
      if (number !== before + 1 + i) throw new Error(`publish gave ${number} instead of ${before + 1 + i}`);
    }
    return elapsed;
  }

  #publishing(messages: readonly Message[], at: number, samplesMs: number[]): void {
    for (const expected of messages) this.#published.push({ expected, at });
    this.#awaited = this.#published.length;
    this.#seen = 0;
    this.#samplesMs = samplesMs;
    this.#all = Promise.withResolvers();
    // Whoever waits hears of it; until then nobody has to.
    this.#all.promise.catch(() => {});
    if (this.#failure) this.#all.reject(this.#failure);
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  async #add(connect: () => Connection | Promise<Connection>): Promise<void> {
    const connection = await connect();
    this.#connections.push(connection);
    await eventsOf(connection).subscribe(this.#receiver(this.#connections.length));
  }

  #receiver(subscriber: number): Receiver {
    let last = 0;
    const fail = (reason: unknown) => {
      this.#failure ??= new Error(`subscriber ${subscriber}, after event ${last}: ${String(reason)}`);
      this.#all.reject(this.#failure);
    };
    return {
      fail,
      receive: (sequence, { number, from, text }) => {
        const now = performance.now();
        if (++last > this.#awaited) return fail(`event ${sequence} came before it was published`);
        const { expected, at } = this.#published[last - 1];
        if (sequence !== last || number !== last || from !== expected.from || text !== expected.text) {
          return fail(`event ${sequence} came as ${JSON.stringify({ number, from, text })}`);
        }
        this.#samplesMs.push(now - at);
        if (sequence === this.#awaited && ++this.#seen === this.size) this.#all.resolve();
      },
    };
  }
}

/** Returns what a connection does with events; throws `Unavailable` where it has none. */
export function eventsOf({ events }: Connection): EventsConnection {
  if (!events) throw new Unavailable('it has no events');
  return events;
}
