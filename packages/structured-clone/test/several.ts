import {
  allTypes,
  checkUsed,
  fromMessage,
  located,
  Reviver,
  textOf,
  toMessage,
} from '@lumenize/structured-clone/messages';

/** Writes several values into one message. */
export class Several {
  readonly #texts: string[] = [];
  readonly #tail: Uint8Array[] = [];

  write(value: unknown): void {
    this.#texts.push(textOf(value, { types: allTypes(), tail: this.#tail, locate: located }));
  }

  finish(): string | Uint8Array {
    return toMessage(`[${this.#texts}]`, this.#tail);
  }
}

export function readSeveral(message: string | Uint8Array): unknown[] {
  const { text, tail } = fromMessage(message);
  const reviver = new Reviver({ types: allTypes(), tail });
  const values = (JSON.parse(text) as unknown[]).map((entry) => reviver.value(entry));
  checkUsed(reviver);
  return values;
}
