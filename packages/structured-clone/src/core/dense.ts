/**
 * Returns true if an array has all its indices and no named properties. To list the values comes first, because it
 * needs no strings for the indices, and takes no time for holes.
 */
export function isDense(array: readonly unknown[]): boolean {
  const { length } = array;
  if (Object.values(array).length !== length) return false;
  // There may be as many holes as named properties.
  for (let at = 0; at < length; at++) if (!Object.hasOwn(array, at)) return false;
  return true;
}
