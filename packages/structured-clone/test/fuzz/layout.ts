import * as tags from '../../src/binary/tags.ts';

/** The parts of a binary encoding, so that one can be changed and the others fit it again. */
export interface Layout {
  readonly structure: Uint8Array;
  readonly text: Uint8Array;
  /** The last byte: how long the text is, or how that is said. */
  readonly trailer: number;
}

/** Takes an encoding apart. */
export function takeApart(encoding: Uint8Array): Layout {
  const trailer = encoding[encoding.length - 1];
  if (trailer <= tags.MAX_SHORT_TEXT) {
    const end = encoding.length - 1 - trailer;
    return { structure: encoding.subarray(0, end), text: encoding.subarray(end, -1), trailer };
  }
  const sizeAt = encoding.length - 5;
  const size = new DataView(encoding.buffer, encoding.byteOffset).getUint32(sizeAt);
  return {
    structure: encoding.subarray(0, sizeAt - size),
    text: encoding.subarray(sizeAt - size, sizeAt),
    trailer,
  };
}

/** Puts an encoding together, with a trailer that fits its text. */
export function putTogether({ structure, text, trailer }: Layout): Uint8Array {
  const isShort = trailer <= tags.MAX_SHORT_TEXT && text.length <= tags.MAX_SHORT_TEXT;
  const encoding = new Uint8Array(structure.length + text.length + (isShort ? 1 : 5));
  encoding.set(structure);
  encoding.set(text, structure.length);
  if (!isShort) new DataView(encoding.buffer).setUint32(encoding.length - 5, text.length);
  encoding[encoding.length - 1] = isShort ? text.length : Math.max(trailer, tags.UTF16_TEXT);
  return encoding;
}
