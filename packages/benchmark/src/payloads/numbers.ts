import { seededRandom } from '@lumenize/hosts/random';

/** Makes a quarter each of small integers, of integers of either sign, of amounts with cents and of any doubles. */
export function numbers(count: number): number[] {
  const random = seededRandom(5);
  const kinds = [
    () => Math.floor(random() * 100),
    // Plus 1, because a rounded -0 is a number that JSON would lose.
    () => Math.floor((random() - 0.5) * 2 ** 40) + 1,
    () => Math.round(random() * 100_000) / 100,
    () => random() * 10 ** Math.floor(random() * 12 - 6),
  ];
  return Array.from({ length: count }, (_, i) => kinds[i % kinds.length]());
}

/** Makes bytes without any pattern. */
export function bytes(count: number): Uint8Array {
  const random = seededRandom(6);
  const made = new Uint8Array(count);
  for (let i = 0; i < count; i++) made[i] = random() * 256;
  return made;
}
