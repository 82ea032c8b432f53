/**
 * Returns true if an array, whose values are given, has all its indices and no named properties. Listing the values needs
 * no strings for the indices, and takes no time for holes.
 */
export function isDense(array: readonly unknown[], values: readonly unknown[] = Object.values(array)): boolean {
  const { length } = values;
  if (array.length !== length) return false;
  // There may be as many holes as named properties.
  for (let at = 0; at < length; at++) if (!Object.hasOwn(array, at)) return false;
  return true;
}
