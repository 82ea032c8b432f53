import { exceeded } from '../../protocol/errors.ts';

/** Counts the entries that retain each value for the peer. */
export class Holders {
  readonly #counts = new Map<object, number>();
  readonly #letGo: (value: object) => void;

  /** `letGo` is called with values that nothing retains any more. */
  constructor(letGo: (value: object) => void) {
    this.#letGo = letGo;
  }

  get size(): number {
    return this.#counts.size;
  }

  has(value: object): boolean {
    return this.#counts.has(value);
  }

  retain(value: object): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
  }

  /** Releases a value once. Unless `letsGo` is false, calls `letGo` if nothing retains the value any more. */
  release(value: object, letsGo = true): void {
    const count = (this.#counts.get(value) ?? 0) - 1;
    if (count > 0) return void this.#counts.set(value, count);
    if (this.#counts.delete(value) && letsGo) this.#letGo(value);
  }
}

/**
 * Checks that one more reference may be held. `hint` completes the error message.
 * @throws {RpcError} `LIMIT_EXCEEDED` if as many references are held as may be
 */
export function checkReferences(count: number, maxReferences: number, hint = 'dispose of stubs no longer used'): void {
  if (count >= maxReferences) throw exceeded('maxReferences', { maxReferences }, `: ${hint}`);
}
