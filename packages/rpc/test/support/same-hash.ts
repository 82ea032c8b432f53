/** Returns different numbers that V8 puts into the same bucket of a Map or Set with up to 65,536 entries. */
export function withSameHash(count: number): number[] {
  const numbers: number[] = [];
  for (let high = 0; numbers.length < count; high++) {
    const number = unhash((high << 15) | 5);
    if (number < 2 ** 31) numbers.push(number);
  }
  return numbers;
}

/** The inverse of V8's `ComputeUnseededHash`, step by step from its end. */
function unhash(hash: number): number {
  let number = Math.imul(hash ^ (hash >>> 16), inverse(2057));
  for (let shift = 28; shift > 0; shift -= 4) number = without(number, shift);
  number = Math.imul(number, inverse(5));
  number ^= (number >>> 12) ^ (number >>> 24);
  return Math.imul(number + 1, inverse(32_767)) >>> 0;
}

/** Undoes `number ^ (number >>> 4)` for the four bits whose place from the top is that far from the bottom. */
function without(number: number, shift: number): number {
  return number ^ (((number >>> shift) & 15) << (shift - 4));
}

/** Returns the number by which 32-bit multiplication undoes that by an odd number. */
function inverse(odd: number): number {
  let found = odd;
  for (let round = 0; round < 5; round++) found = Math.imul(found, 2 - Math.imul(odd, found));
  return found;
}
