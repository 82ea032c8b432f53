import {
  all,
  checkText,
  fromMessage,
  isMarked,
  read,
  resolveLimits,
  toMessage,
  write,
} from '@lumenize/structured-clone/messages';

const limits = resolveLimits(undefined);

/** Writes several values into one message: what `packages/structured-clone/test/several.ts` does with that codec. */
export class Several {
  readonly #texts: string[] = [];
  readonly #tail: Uint8Array[] = [];

  write(value: unknown): void {
    this.#texts.push(write(value, { types: all, limits, tail: this.#tail }));
  }

  finish(): string | Uint8Array {
    return toMessage(`[${this.#texts}]`, this.#tail);
  }
}

export function readSeveral(message: string | Uint8Array): unknown[] {
  const { text, tail } = fromMessage(message);
  checkText(text, limits, tail?.length);
  const reading = { types: all, limits, tail, at: 0 };
  const values = (JSON.parse(text) as unknown[]).map((entry) => (isMarked(entry) ? read(entry.$, reading) : entry));
  if (reading.at !== (tail?.length ?? 0)) throw new Error('bytes are left');
  return values;
}
