import type { Arm } from './plan.ts';

/** Returns the object that an arm's next block works on. */
export type ObjectNames = (arm: Arm, writes: boolean) => string;

/**
 * Names a fresh object for every block that writes. A write costs a quarter less once an object's write-ahead log has
 * reached its full length, so that an arm with more commits behind it would look faster than it is. Reads have no such
 * memory, and an arm keeps one object for them. Where objects outlive a run, `prefix` tells its objects from others'.
 */
export function objectNames(seed: number, prefix = ''): ObjectNames {
  let fresh = 0;
  return (arm, writes) => `${prefix}${arm.id}-${seed}-${writes ? ++fresh : 'reads'}`;
}
