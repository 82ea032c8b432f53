import type { Connection } from '../subjects/subject.ts';
import { Unavailable } from '../subjects/unavailable.ts';
import { type EventsConnection, messageOf, type Receiver } from './events.ts';

/** Connections opened at a time: a thousand at once would wait for each other. */
const OPENING = 50;

/**
 * Subscribers of one object, each on a connection of its own. Each has to be sent every event once, in order and as it was
 * published: else whoever waits for an event is told.
 */
export class Audience {
  readonly size: number;
  /** When each event was published, by its number. */
  readonly #published: number[] = [];
  readonly #connections: Connection[] = [];
  /** How many subscribers have seen the event that is waited for. */
  #seen = 0;
  #awaited = 0;
  #samplesMs: number[] = [];
  #all = Promise.withResolvers<void>();
  #failure: Error | undefined;

  /** Opens `size` connections with `connect` and subscribes them. */
  static async open(size: number, connect: () => Connection | Promise<Connection>): Promise<Audience> {
    const audience = new Audience(size);
    try {
      for (let opened = 0; opened < size; opened += OPENING) {
        const next = Array.from({ length: Math.min(OPENING, size - opened) }, () => audience.#add(connect));
        // All of them, so that each is closed however another one ends.
        for (const outcome of await Promise.allSettled(next)) if (outcome.status === 'rejected') throw outcome.reason;
      }
      return audience;
    } catch (error) {
      audience.close();
      throw error;
    }
  }

  private constructor(size: number) {
    this.size = size;
  }

  /** Notes that the events up to `number` are published now; what every subscriber's deliveries take goes to `samplesMs`. */
  publishing(number: number, samplesMs: number[]): void {
    const now = performance.now();
    while (this.#published.length < number) this.#published.push(now);
    this.#awaited = number;
    this.#seen = 0;
    this.#samplesMs = samplesMs;
    this.#all = Promise.withResolvers();
    // Whoever waits hears of it; until then nobody has to.
    this.#all.promise.catch(() => {});
    if (this.#failure) this.#all.reject(this.#failure);
  }

  /** Resolves when all subscribers have seen what `publishing` was told of; rejects where one was sent something else. */
  get everyone(): Promise<void> {
    return this.#all.promise;
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
        const expected = messageOf(++last);
        if (last > this.#awaited) return fail(`event ${sequence} came before it was published`);
        if (sequence !== last || number !== last || from !== expected.from || text !== expected.text) {
          return fail(`event ${sequence} came as ${JSON.stringify({ number, from, text })}`);
        }
        this.#samplesMs.push(now - this.#published[sequence - 1]);
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
