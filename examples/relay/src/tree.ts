const BREADTH = 3;
const DEPTH = 2;

/** The relays below one: of 'root' they are 'root.0', 'root.1' and 'root.2'; of a leaf there are none. */
export function below(name: string): string[] {
  const depth = name.split('.').length - 1;
  return Array.from({ length: depth < DEPTH ? BREADTH : 0 }, (_, index) => `${name}.${index}`);
}

/** The leaf of a user: always the same one, and each has about as many users. */
export function leafOf(user: string): string {
  let hash = 2166136261; // FNV-1a
  for (const character of user) hash = Math.imul(hash ^ character.codePointAt(0)!, 16777619) >>> 0;
  let name = 'root';
  for (let place = hash % BREADTH ** DEPTH, depth = 0; depth < DEPTH; depth++) {
    name += `.${place % BREADTH}`;
    place = Math.floor(place / BREADTH);
  }
  return name;
}
