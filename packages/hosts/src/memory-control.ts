/**
 * Has all objects leave memory as they do when nobody talks, their sockets staying open. Needs the flag `unsafe_module`;
 * rejects where there is no moment in which nothing goes on.
 */
export async function evictObjects(): Promise<void> {
  // Not for the bundler to look for.
  const { default: unsafe } = await import(['workerd', 'unsafe'].join(':'));
  await unsafe.evictAllDurableObjects({ webSockets: 'hibernate' });
}

/** Collects garbage, where V8 was told to let us. */
export function collectGarbage(): void {
  (globalThis as { gc?: () => void }).gc?.();
}
