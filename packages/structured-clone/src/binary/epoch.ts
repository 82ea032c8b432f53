let last = 0;

/** Returns a number that no encoding had before: what shared tables know an encoding's entries by. */
export function nextEpoch(): number {
  return ++last;
}
