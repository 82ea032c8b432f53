/**
 * Everything that happened in a world, in order, and a running hash of it. The same seed gives the same lines, byte for
 * byte. Lines contain no stacks, paths or dates, because these differ between machines.
 */
export class Trace {
  readonly #lines: string[] = [];
  #hashed = 0;
  #low = 0x811c9dc5;
  #high = 0x9e3779b9;

  /** Adds an event: its time, its place, its name, and optional details. */
  add(time: number, realm: string, event: string, detail: string | number = ''): void {
    this.#lines.push(`${Math.round(time * 1000) / 1000} ${realm} ${event}${detail === '' ? '' : ` ${detail}`}`);
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** The hash of all lines so far, as 16 hexadecimal digits. */
  get hash(): string {
    for (; this.#hashed < this.#lines.length; this.#hashed++) this.#hash(this.#lines[this.#hashed]);
    return [this.#low, this.#high].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  #hash(line: string): void {
    let low = this.#low;
    let high = this.#high;
    for (let i = 0; i < line.length; i++) {
      const code = line.charCodeAt(i);
      low = Math.imul(low ^ code, 0x01000193);
      high = Math.imul(high ^ code, 0x85ebca6b) + (high >>> 15);
    }
    this.#low = low;
    this.#high = high;
  }
}

/** Hashes bytes, to tell frames apart in a trace. */
export function hashBytes(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
