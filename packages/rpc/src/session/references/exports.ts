import { RpcError } from '../../errors/rpc-error.ts';

/** Something of ours that the other side may use. */
interface Export {
  readonly id: number;
  readonly value: object;
  /** How often it was sent: the other side releases as many. */
  count: number;
}

/** Counts what holds a value for the other side, and lets go of it with the last holder. */
export interface Holders {
  retain(value: object): void;
  release(value: object): void;
}

/** Told of what is sent for the first time, and of what is no longer held. */
export interface ExportsWatcher {
  added(id: number, value: object): void;
  removed(id: number): void;
}

/** The targets and functions that were sent to the other side, and are kept until it no longer holds them. */
export class Exports {
  readonly #byId = new Map<number, Export>();
  readonly #byValue = new Map<object, Export>();
  /**
   * What was derived again, by the ids that an earlier life of the session gave, with what it was derived from. How often it was sent is forgotten, so nothing
   * more is sent under these ids: then a release is the last one, and none crosses another sending.
   */
  readonly #restored = new Map<number, readonly object[]>();
  readonly #limit: number;
  readonly #holders: Holders;
  readonly #watcher: ExportsWatcher | undefined;
  #nextId: number;

  /** `firstId`: ids of an earlier life of the session must not come again. `holders` counts what is held here. */
  constructor(limit: number, firstId: number, holders: Holders, watcher?: ExportsWatcher) {
    this.#limit = limit;
    this.#holders = holders;
    this.#nextId = firstId;
    this.#watcher = watcher;
  }

  get size(): number {
    return this.#byId.size + this.#restored.size;
  }

  /**
   * Notes that a value is sent and returns its id: the same one for as long as it is held.
   * @throws {RpcError} `LIMIT_EXCEEDED`
   */
  add(value: object): number {
    let entry = this.#byValue.get(value);
    if (entry === undefined) {
      if (this.size >= this.#limit) {
        throw new RpcError(
          'LIMIT_EXCEEDED',
          `maxReferences of ${this.#limit} exceeded: dispose of stubs no longer used`,
        );
      }
      entry = { id: this.#nextId++, value, count: 0 };
      this.#byId.set(entry.id, entry);
      this.#byValue.set(value, entry);
      this.#holders.retain(value);
      this.#watcher?.added(entry.id, value);
    }
    entry.count++;
    return entry.id;
  }

  /** Puts back what was derived again, under the id that the other side knows; `from` is let go of when it is. */
  restore(id: number, value: object, from: readonly object[]): void {
    const values = [...new Set([value, ...from])];
    this.#restored.set(id, values);
    for (const each of values) this.#holders.retain(each);
  }

  get(id: number): object | undefined {
    return this.#byId.get(id)?.value ?? this.#restored.get(id)?.[0];
  }

  /** Takes back what was noted `count` times; the last time lets go of the value. */
  release(id: number, count: number): void {
    const entry = this.#byId.get(id);
    if (entry !== undefined) {
      entry.count -= count;
      if (entry.count > 0) return;
      this.#byId.delete(id);
      this.#byValue.delete(entry.value);
    }
    // After hibernation the other side may release what has not been derived again.
    const values = entry === undefined ? this.#restored.get(id) : [entry.value];
    this.#restored.delete(id);
    this.#watcher?.removed(id);
    for (const each of values ?? []) this.#holders.release(each);
  }

  /** Lets go of everything: the connection is gone. */
  clear(): void {
    const values = [...this.#byValue.keys(), ...[...this.#restored.values()].flat()];
    this.#byId.clear();
    this.#byValue.clear();
    this.#restored.clear();
    for (const each of values) this.#holders.release(each);
  }
}
