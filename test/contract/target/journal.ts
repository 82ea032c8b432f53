/** What has happened, by the key of the case that asked: for what is to be seen when a target or its connection is gone. */
const EVENTS = new Map<string, string[]>();

/** Notes an event; without a key nobody wants to know. */
export function note(key: string | undefined, event: string): void {
  if (key === undefined) return;
  const events = EVENTS.get(key);
  if (events === undefined) EVENTS.set(key, [event]);
  else events.push(event);
}

/** Returns what was noted under a key, in order. */
export function noted(key: string): string[] {
  return EVENTS.get(key) ?? [];
}
