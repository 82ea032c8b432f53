const resets: (() => void)[] = [];
const keyed = new Map<object, () => void>();

/** Has something forgotten whenever a world begins. With a key, only the first time counts. */
export function onReset(job: () => void, key?: object): void {
  if (key === undefined) resets.push(job);
  else if (!keyed.has(key)) keyed.set(key, job);
}

/** Forgets what modules kept: the next world is to find them as the first one did. */
export function resetModules(): void {
  for (const job of resets) job();
  for (const job of keyed.values()) job();
}
