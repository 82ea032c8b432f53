/** The counter that every subject of the benchmark serves; only the way calls reach it differs. */
export class CounterImpl {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Adds `by` to the stored value and returns the sum. */
  increment(by = 1): number {
    const value = this.getValue() + by;
    this.#storage.kv.put('value', value);
    return value;
  }

  /** Returns the stored value, 0 before the first increment. */
  getValue(): number {
    return this.#storage.kv.get<number>('value') ?? 0;
  }

  /** Sets the stored value back to 0. */
  reset(): void {
    this.#storage.kv.delete('value');
  }
}
