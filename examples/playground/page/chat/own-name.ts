import { callerName } from '../../src/room/caller-name.ts';

/** What visitors are called until they say a name. */
const BIRDS = ['Heron', 'Wren', 'Swift', 'Plover', 'Kestrel', 'Siskin', 'Avocet', 'Bunting', 'Curlew', 'Dunlin'];

const KEY = 'playground-name';

/** The name of this tab's visitor: each tab has its own, so that two of them can talk, and keeps it when it is loaded anew. */
export function readOwnName(): string {
  const stored = callerName(sessionStorage.getItem(KEY) ?? undefined);
  if (sessionStorage.getItem(KEY) !== null && stored !== undefined) return stored;
  const name = BIRDS[Math.floor(Math.random() * BIRDS.length)];
  keepOwnName(name);
  return name;
}

export function keepOwnName(name: string): void {
  sessionStorage.setItem(KEY, name);
}
