import { callContext, RpcTarget, type SessionCounts } from '@lumenize/rpc/server';

/** What a soak calls: everything that takes a place in a table on either side. */
export class SoakTarget extends RpcTarget {
  #listener: ((n: number) => Promise<number>) | undefined;

  /** Makes a target that stays here. */
  room(n: number): SoakRoom {
    return new SoakRoom(n);
  }

  /** Makes a function that stays here. */
  adder(n: number): (by: number) => number {
    return (by) => n + by;
  }

  /** Calls the client back, and returns what it says. */
  ask(question: (n: number) => Promise<number>, n: number): Promise<number> {
    return question(n);
  }

  /** Holds a function of the client until the next one comes. */
  async listen(listener: (n: number) => Promise<number>, n: number): Promise<number> {
    const before = this.#listener;
    this.#listener = listener;
    return before === undefined ? n : before(n);
  }

  /** Lets go of everything, where garbage collection can be asked for. */
  collect(): void {
    this.#listener = undefined;
    (globalThis as { gc?: () => void }).gc?.();
  }

  /** What this side of the connection holds. */
  counts(): SessionCounts {
    return callContext().counts;
  }
}

export class SoakRoom extends RpcTarget {
  readonly #n: number;

  constructor(n: number) {
    super();
    this.#n = n;
  }

  self(): SoakRoom {
    return this;
  }

  get n(): number {
    return this.#n;
  }

  add(by: number): number {
    return this.#n + by;
  }
}
