/**
 * Random decisions that depend only on a seed, a purpose, and the number of earlier decisions for that purpose. If one
 * action is left out of a program, the numbers for all other purposes stay the same.
 */
export class Random {
  readonly #seed: number;
  readonly #counts = new Map<string, { hash: number; count: number }>();

  constructor(seed: number) {
    this.#seed = mix((seed ^ 0x5bd1e995) + Math.floor(seed / 2 ** 32));
  }

  /** Returns 32 random bits. */
  bits(purpose: string): number {
    let stream = this.#counts.get(purpose);
    if (stream === undefined) {
      stream = { hash: hashText(purpose, this.#seed), count: 0 };
      this.#counts.set(purpose, stream);
    }
    return mix(stream.hash + Math.imul(++stream.count, 0x9e3779b9)) >>> 0;
  }

  /** Returns a number from 0 up to, but not including, 1. */
  fraction(purpose: string): number {
    return this.bits(purpose) / 2 ** 32;
  }

  between(purpose: string, from: number, to: number): number {
    return from + this.fraction(purpose) * (to - from);
  }

  /** Returns an integer from 0 up to, but not including, `end`. */
  below(purpose: string, end: number): number {
    return Math.floor(this.fraction(purpose) * end);
  }

  /** Returns true with the probability `share`, from 0 to 1. */
  chance(purpose: string, share: number): boolean {
    return this.fraction(purpose) < share;
  }

  fill(purpose: string, bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.bits(purpose) >>> 24;
  }
}

/** Hashes a text to 32 bits, with FNV-1a and a final mix. */
export function hashText(text: string, seed = 0): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mix(hash);
}

/** Spreads the bits of a number, like the finalizer of MurmurHash3. */
function mix(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
