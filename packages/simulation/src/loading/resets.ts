const resets: (() => void)[] = [];

/** Registers a function that runs whenever a world begins. */
export function onReset(job: () => void): void {
  resets.push(job);
}

/** Resets the state of modules, so that the next world finds them as the first one did. */
export function resetModules(): void {
  for (const job of resets) job();
}
