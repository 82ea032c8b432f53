import { openText } from './encoding-text.ts';
import { BYTES, COLLECTIONS, RECORDS, VIEW_CLASSES, VIEW_ON_BUFFER } from './encoding-types.ts';

/** What kind of thing some bytes of an encoding say, by which a page colours them. */
export type PartKind = 'number' | 'text' | 'container' | 'special' | 'reference' | 'bytes' | 'trailer';

/** Some bytes of an encoding that say one thing. */
export interface EncodingPart {
  readonly start: number;
  readonly end: number;
  readonly kind: PartKind;
  /** What they say, in words. */
  readonly label: string;
  /** In how many containers it is. */
  readonly depth: number;
}

const KINDS = ['integer', 'negative', 'string', 'again', 'array', 'object', 'reference', 'special'] as const;
const LONG = 31;
const CONSTANTS = ['undefined', 'null', 'false', 'true'];
const [FLOAT, HUNDREDTHS, BIGINT, EXTENSION, NUMBERS, FORGET] = [4, 5, 6, 7, 8, 9];
const FIRST_TYPE = 10;
/** Containers in more than so many others have their contents behind the whole value. */
const MAX_NESTED = 64;
const LONGEST_LABEL = 40;

/**
 * Takes an encoding apart, as docs/codec-format.md says, into what its bytes say one after the other: every byte is in one part.
 * @throws {RangeError} where the bytes are no encoding
 */
export function partsOfEncoding(bytes: Uint8Array): EncodingPart[] {
  const text = openText(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const structure: EncodingPart[] = [];
  const strings: EncodingPart[] = [];
  let remembered: string[] = [];
  let shapes: string[][] = [];
  let position = 0;
  let depth = 0;
  /** The depth from which containers are counted that may stand in their place. */
  let base = 0;
  let later: { depth: number; read: () => void }[] = [];

  const next = () => {
    if (position >= text.start) throw new RangeError(`the structure ends in the middle of a value, at ${position}`);
    return bytes[position++];
  };
  const varint = () => {
    let result = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = next();
      result += (byte & 127) * scale;
      if (byte < 128) return result;
    }
  };
  const note = (start: number, kind: PartKind, label: string) => {
    structure.push({ start, end: position, kind, label, depth });
  };
  const takeText = (units: number, label: (text: string) => string) => {
    const { text: taken, start, end } = text.take(units);
    if (end > start) strings.push({ start, end, kind: 'text', label: label(taken), depth: 0 });
    return taken;
  };

  /** Reads a value, and behind it what was too deep in it to stand in its place. */
  const whole = () => {
    const [depthBefore, baseBefore, laterBefore] = [depth, base, later];
    later = [];
    value();
    // The list grows while it is gone through.
    for (const waiting of later) {
      depth = waiting.depth;
      base = depth - depthBefore + baseBefore;
      waiting.read();
    }
    [depth, base, later] = [depthBefore, baseBefore, laterBefore];
  };

  const inside = (read: () => void) => {
    depth++;
    read();
    depth--;
  };

  const contents = (read: () => void) => {
    inside(() => {
      if (depth - base > MAX_NESTED) later.push({ depth, read });
      else read();
    });
  };

  const repeat = (count: number, read: () => void) => {
    for (let left = count; left > 0; left--) read();
  };

  function value(): void {
    const start = position;
    const first = next();
    if (first >> 5 === KINDS.indexOf('special')) return special(start, first & LONG);
    const number = (first & LONG) === LONG ? LONG + varint() : first & LONG;
    const kind = KINDS[first >> 5];
    switch (kind) {
      case 'integer':
        return note(start, 'number', String(number));
      case 'negative':
        return note(start, 'number', String(-number));
      case 'string': {
        const taken = takeText(number, quoted);
        if (number >= 3 && number <= 63) remembered.push(taken);
        return note(start, 'text', `a string of ${number}: ${quoted(taken)}`);
      }
      case 'again':
        return note(start, 'text', `${quoted(remembered[number] ?? '?')} again, string ${number}`);
      case 'array':
        note(start, 'container', `a list of ${number}`);
        return contents(() => repeat(number, value));
      case 'object':
        return object(start, number);
      case 'reference':
        return note(start, 'reference', `object ${number} of this value again`);
    }
  }

  function object(start: number, number: number): void {
    const isNew = number === shapes.length;
    if (isNew) {
      const count = varint();
      const lengths = Array.from({ length: Math.floor(count / 2) }, varint);
      const units = lengths.reduce((sum, each) => sum + each, 0);
      const all = takeText(units, (taken) => `keys: ${shortened(splitText(taken, lengths).join(', '))}`);
      shapes.push(splitText(all, lengths));
    }
    const keys = shapes[number];
    if (keys === undefined) throw new RangeError(`an object of shape ${number}, which there is not`);
    note(start, 'container', `an object of shape ${number}${isNew ? ', new' : ''}: {${shortened(keys.join(', '))}}`);
    contents(() => repeat(keys.length, value));
  }

  function special(start: number, short: number): void {
    if (short < CONSTANTS.length) return note(start, 'special', CONSTANTS[short]);
    switch (short) {
      case FLOAT: {
        position += 8;
        if (position > text.start) throw new RangeError('a float that is cut short');
        const float = view.getFloat64(position - 8, true);
        return note(start, 'number', `a float: ${Object.is(float, -0) ? '-0' : float}`);
      }
      case HUNDREDTHS: {
        const zigzag = varint();
        return note(start, 'number', `hundredths: ${((zigzag >>> 1) ^ -(zigzag & 1)) / 100}`);
      }
      case BIGINT:
        note(start, 'number', 'a bigint, of the digits in');
        return value();
      case EXTENSION:
        note(start, 'reference', 'by reference, or of a registered class: its kind, and what it says');
        value();
        return inside(whole);
      case NUMBERS:
        note(start, 'container', 'a list of numbers, as a typed array of them');
        return inside(() => record(RECORDS[0]));
      case FORGET:
        remembered = [];
        shapes = [];
        return note(start, 'special', 'forget strings and shapes');
    }
    const type = (short === LONG ? LONG + varint() : short) - FIRST_TYPE;
    if (type < COLLECTIONS.length) {
      note(start, 'container', COLLECTIONS[type]);
      return contents(() => {
        const countAt = position;
        const count = varint();
        note(countAt, 'number', `of ${count} parts`);
        repeat(count, value);
      });
    }
    const found = RECORDS[type - COLLECTIONS.length];
    if (found === undefined) throw new RangeError(`a type ${type}, which there is not`);
    note(start, 'container', found[0]);
    inside(() => record(found));
  }

  function record([name, ...fields]: (typeof RECORDS)[number]): void {
    // A view's first part is twice its class, plus 1 where its buffer, offset and length follow instead of bytes.
    const kind = name === 'View' ? bytes[position] : 0;
    for (const field of kind & 1 ? VIEW_ON_BUFFER : fields) {
      if (field === BYTES) block();
      else named(field === 'class' ? `class ${VIEW_CLASSES[kind >> 1] ?? '?'}` : field);
    }
  }

  /** Reads a value, and says what it is for. */
  function named(name: string): void {
    const at = structure.length;
    value();
    structure[at] = { ...structure[at], label: `${name}: ${structure[at].label}` };
  }

  function block(): void {
    const at = structure.length;
    value();
    const count = Number(structure[at].label);
    if (!(count > 0)) return;
    const start = position;
    position += count;
    if (position > text.start) throw new RangeError('bytes that are cut short');
    note(start, 'bytes', `${count} bytes as they are`);
  }

  while (position < text.start) whole();
  const trailer: EncodingPart = {
    ...{ start: text.end, end: bytes.length, kind: 'trailer', depth: 0 },
    label: `the trailer: ${text.end - text.start} bytes of text before it`,
  };
  return [...structure, ...strings, trailer];
}

/** Cuts a text into pieces of these lengths. */
function splitText(text: string, lengths: readonly number[]): string[] {
  let end = 0;
  return lengths.map((length) => {
    end += length;
    return text.slice(end - length, end);
  });
}

function quoted(text: string): string {
  return JSON.stringify(shortened(text));
}

function shortened(text: string): string {
  return text.length <= LONGEST_LABEL ? text : `${text.slice(0, LONGEST_LABEL - 1)}…`;
}
