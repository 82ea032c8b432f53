/** Shorter arrays are not worth a block. */
const MIN_LENGTH = 16;
/** How much larger a block may be than the numbers one by one, since it takes a fraction of the time. */
const TOLERANCE = 1.5;

type Block = Int8Array<ArrayBuffer> | Int16Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/** Returns the number times 100 where dividing that gives back the very same number: prices, scores, percentages. Else 0. */
export function hundredthsOf(value: number): number {
  const hundredths = Math.round(value * 100);
  return hundredths / 100 === value && Math.abs(hundredths) < 0x4000_0000 ? hundredths : 0;
}

/** Returns the items in a typed array, if all of them are numbers and that is not much larger than they are one by one. */
export function blockOf(items: readonly unknown[]): Block | undefined {
  const { length } = items;
  if (length < MIN_LENGTH) return undefined;
  let size = 0;
  let bits = 0;
  let isFloat = false;
  for (let index = 0; index < length; index++) {
    const item = items[index];
    if (typeof item !== 'number') return undefined;
    const integer = item | 0;
    if (integer !== item || Object.is(item, -0)) {
      isFloat = true;
      size += hundredthsOf(item) === 0 ? 9 : 4;
    } else {
      const magnitude = integer ^ (integer >> 31);
      bits |= magnitude;
      size += 1 + (32 - Math.clz32(magnitude)) / 7;
    }
  }
  const constructor = isFloat ? Float64Array : bits < 0x80 ? Int8Array : bits < 0x8000 ? Int16Array : Int32Array;
  if (constructor.BYTES_PER_ELEMENT * length > size * TOLERANCE) return undefined;
  const block = new constructor(length);
  for (let index = 0; index < length; index++) block[index] = items[index] as number;
  return block;
}

/** Returns the items of a block as an array. */
export function unblock(block: ArrayLike<unknown>): unknown[] {
  const { length } = block;
  const items = new Array(length);
  // Many times as quick as what the language has for it.
  for (let index = 0; index < length; index++) items[index] = block[index];
  return items;
}
