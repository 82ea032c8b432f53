/** An item with a place in time. */
interface Timed {
  readonly time: number;
  /** Among items of the same time, the lower number comes first. */
  readonly order: number;
}

/** A queue that returns items in the order of time: a binary heap. */
export class Heap<Item extends Timed> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    const items = this.#items;
    let at = items.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(item, items[above])) break;
      items[at] = items[above];
      at = above;
    }
    items[at] = item;
  }

  pop(): Item | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= items.length) break;
      if (below + 1 < items.length && isBefore(items[below + 1], items[below])) below++;
      if (!isBefore(items[below], last)) break;
      items[at] = items[below];
      at = below;
    }
    items[at] = last;
    return first;
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#items.values();
  }
}

function isBefore(a: Timed, b: Timed): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}
