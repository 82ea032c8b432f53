const resets: (() => void)[] = [];

/** Has something forgotten whenever a world begins. */
export function onReset(job: () => void): void {
  resets.push(job);
}

/** Forgets what modules kept: the next world is to find them as the first one did. */
export function resetModules(): void {
  for (const job of resets) job();
}
