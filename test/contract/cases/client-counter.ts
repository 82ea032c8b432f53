import type { CaseContext } from '../context.ts';

/** A target of the client. */
export interface ClientCounter {
  increment(by?: number): number;
  readonly value: number;
  /** How often it was disposed of; no member, so that the server cannot see it. */
  disposals: number;
}

/** Makes a target of the client, from the library's own base. */
export function clientCounter({ RpcTarget }: CaseContext): ClientCounter {
  class Counter extends RpcTarget {
    disposals = 0;
    #value = 0;

    increment(by = 1): number {
      this.#value += by;
      return this.#value;
    }

    get value(): number {
      return this.#value;
    }

    [Symbol.dispose](): void {
      this.disposals++;
    }
  }
  return new Counter();
}
