import * as tags from '../../src/binary/tags.ts';
import { TYPE_NAMES } from '../../src/binary/types/type-names.ts';
import * as f from '../forge.ts';
import { putTogether, takeApart } from './layout.ts';
import type { Random } from './random.ts';

type Mutation = (bytes: Uint8Array, random: Random, others: readonly Uint8Array[]) => Uint8Array;

const KINDS = 8;
const LAST_SPECIAL = tags.FIRST_TYPE + TYPE_NAMES.length;

/** Bytes that mean something at most places. */
const BYTES = [
  0,
  1,
  2,
  3,
  0x7f,
  0x80,
  0xff,
  tags.RESET,
  tags.LONG,
  tags.LONG_TEXT,
  tags.UTF16_TEXT,
  tags.MAX_SHORT_TEXT,
];

/** Varints that claim much: 2³¹, 2³² - 1, 2⁵³ - 1, more than fits, and one that says nothing at length. */
const VARINTS = [
  [0x80, 0x80, 0x80, 0x80, 0x08],
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0x80, 0x80, 0x00],
];

/** Whole values that are numbers only when they are asked to be one, or that are none of those that count anything. */
const VALUES: readonly number[][] = [
  [...f.array(1), 2],
  [...f.type('Number'), 2],
  [...f.type('Date'), 2],
  [...f.type('View'), 0, 1, 2],
  [...f.type('View'), 14, 4, 0, 0, 0x18, 0],
  [...f.special(tags.EXTENSION), 0, 0],
  [...f.tag(tags.OBJECT, 0), 1],
  [...f.special(tags.FLOAT), 0, 0, 0, 0, 0, 0, 0xf8, 0x7f],
  [...f.special(tags.FLOAT), 0, 0, 0, 0, 0, 0, 0xe0, 0x3f],
  f.tag(tags.NEGATIVE, 1),
  f.tag(tags.NEGATIVE, 0),
  f.special(tags.NULL),
  f.special(tags.UNDEFINED),
  f.reference(0),
];

const MUTATIONS: readonly Mutation[] = [
  function flipBit(bytes, random) {
    const changed = bytes.slice();
    changed[random.below(bytes.length)] ^= 1 << random.below(8);
    return changed;
  },
  function setByte(bytes, random) {
    const changed = bytes.slice();
    changed[random.below(bytes.length)] = random.oneIn(2) ? random.pick(BYTES) : random.below(256);
    return changed;
  },
  /** Makes one value another kind of value. */
  function setTag(bytes, random) {
    const changed = bytes.slice();
    changed[random.below(bytes.length)] = anyTag(random);
    return changed;
  },
  /** Puts a value where a number is expected. */
  function setValue(bytes, random) {
    return spliced(bytes, random.below(bytes.length), 1, random.pick(VALUES));
  },
  /** Makes a small number a slightly different one: a length, a reference, a class. */
  function nudge(bytes, random) {
    const changed = bytes.slice();
    changed[random.below(bytes.length)] += random.pick([1, -1, 2, -2]);
    return changed;
  },
  function insert(bytes, random) {
    const inserted = Array.from({ length: 1 + random.below(4) }, () =>
      random.oneIn(2) ? anyTag(random) : random.below(256),
    );
    return spliced(bytes, random.below(bytes.length + 1), 0, inserted);
  },
  function remove(bytes, random) {
    return spliced(bytes, random.below(bytes.length), 1 + random.below(4), []);
  },
  function truncate(bytes, random) {
    return bytes.slice(0, random.below(bytes.length));
  },
  /** Claims more than there is. */
  function inflate(bytes, random) {
    return spliced(bytes, random.below(bytes.length + 1), random.below(2), random.pick(VARINTS));
  },
  function repeat(bytes, random) {
    const from = random.below(bytes.length);
    const part = bytes.subarray(from, from + 1 + random.below(8));
    return spliced(bytes, from, 0, new Array<number[]>(1 + random.below(8)).fill([...part]).flat());
  },
  /** The beginning of this with the end of another. */
  function splice(bytes, random, others) {
    const other = random.pick(others);
    return spliced(bytes, random.below(bytes.length + 1), bytes.length, other.subarray(random.below(other.length)));
  },
  /** A part of another in the middle of this. */
  function graft(bytes, random, others) {
    const other = random.pick(others);
    const from = random.below(other.length);
    return spliced(
      bytes,
      random.below(bytes.length),
      random.below(4),
      other.subarray(from, from + 1 + random.below(20)),
    );
  },
];

/** Damages an encoding in one to three ways: mostly its structure, where most can be wrong, with text that still fits. */
export function mutateBytes(encodings: readonly Uint8Array[], random: Random): Uint8Array {
  const original = random.pick(encodings);
  if (random.oneIn(20)) return nonsense(random);
  if (random.oneIn(4)) return mutated(original, random, encodings);
  const layout = takeApart(original);
  if (random.oneIn(8)) return putTogether({ ...layout, text: mutated(layout.text, random, encodings) });
  return putTogether({ ...layout, structure: mutated(layout.structure, random, encodings) });
}

function mutated(bytes: Uint8Array, random: Random, others: readonly Uint8Array[]): Uint8Array {
  let changed = bytes;
  for (let left = 1 + random.below(3); left > 0; left--) {
    if (changed.length > 0) changed = random.pick(MUTATIONS)(changed, random, others);
  }
  return changed;
}

/** An encoding that was never valid, of bytes that each could begin a value. */
function nonsense(random: Random): Uint8Array {
  const structure = Uint8Array.from({ length: random.below(40) }, () =>
    random.oneIn(3) ? random.below(4) : anyTag(random),
  );
  const text = Uint8Array.from({ length: random.below(20) }, () => 0x61 + random.below(3));
  return putTogether({ structure, text, trailer: text.length });
}

function anyTag(random: Random): number {
  const kind = random.below(KINDS);
  const number = kind === tags.SPECIAL ? random.below(LAST_SPECIAL + 1) : random.pick([0, 0, 1, 1, 2, 3, 4, tags.LONG]);
  return (kind << 5) | number;
}

function spliced(bytes: Uint8Array, at: number, removed: number, inserted: ArrayLike<number>): Uint8Array {
  const rest = bytes.subarray(Math.min(at + removed, bytes.length));
  const changed = new Uint8Array(at + inserted.length + rest.length);
  changed.set(bytes.subarray(0, at));
  changed.set(inserted, at);
  changed.set(rest, at + inserted.length);
  return changed;
}
