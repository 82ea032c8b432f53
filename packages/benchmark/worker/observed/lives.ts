let made = 0;

/** Notes that an object has been made; returns the how manieth it is. */
export function noteLife(): number {
  return ++made;
}

/** How many objects have been made so far: those that hibernated are made again when they wake. */
export function lives(): number {
  return made;
}
