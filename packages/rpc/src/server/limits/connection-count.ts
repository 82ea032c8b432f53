/** Counts the connections of an object, without going through all of them for each new one. */
export class ConnectionCount {
  /** Sockets, as far as is known; undefined until they are counted. */
  #sockets: number | undefined;
  readonly #countSockets: () => number;
  readonly #countOthers: () => number;

  constructor(countSockets: () => number, countOthers: () => number) {
    this.#countSockets = countSockets;
    this.#countOthers = countOthers;
  }

  /** As they are counted now. */
  get exact(): number {
    this.#sockets = this.#countSockets();
    return this.#sockets + this.#countOthers();
  }

  /** Whether there are as many: what is known is close, and where it matters they are counted. */
  reaches(limit: number): boolean {
    this.#sockets ??= this.#countSockets();
    return this.#sockets + this.#countOthers() >= limit && this.exact >= limit;
  }

  added(): void {
    if (this.#sockets !== undefined) this.#sockets++;
  }

  removed(): void {
    if (this.#sockets !== undefined) this.#sockets--;
  }
}
