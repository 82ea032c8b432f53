/**
 * Has no chunk of a stream acknowledged at the instant at which it was sent. Cap'n Web's flow control takes that for a round trip
 * of no time, its window becomes NaN, and whoever waits for it to open waits forever (0.12). The clock of a Worker stands still
 * between one event and the next, so that it comes to this wherever a client is near.
 */
export class ChunkClock {
  /** When each chunk was sent that is not yet acknowledged, by the number that both sides give its message. */
  readonly #sentAt = new Map<number, number>();
  #nextId = 1;

  /** Notes a message that is sent. */
  sent([kind]: readonly unknown[]): void {
    if (kind === 'stream') this.#sentAt.set(this.#nextId, performance.now());
    if (kind === 'stream' || kind === 'push' || kind === 'pipe') this.#nextId++;
  }

  /** Waits until a message that has arrived may be handed over; undefined where that is now. */
  hold([kind, id]: readonly unknown[]): Promise<void> | undefined {
    if (kind !== 'resolve' && kind !== 'reject') return undefined;
    const sentAt = this.#sentAt.get(id as number);
    this.#sentAt.delete(id as number);
    if (sentAt === undefined || kind === 'reject' || performance.now() > sentAt) return undefined;
    return later(sentAt);
  }
}

async function later(than: number): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, 1));
  while (performance.now() <= than);
}
