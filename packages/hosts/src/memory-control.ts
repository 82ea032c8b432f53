/**
 * Makes all objects leave memory, as they do when they are idle. Their sockets stay open. Needs the flag
 * `unsafe_module`. Rejects if the objects are never all idle.
 */
export async function evictObjects(): Promise<void> {
  // The bundler must not resolve this import.
  const { default: unsafe } = await import(['workerd', 'unsafe'].join(':'));
  await unsafe.evictAllDurableObjects({ webSockets: 'hibernate' });
}

/** Collects garbage, if V8 was started with `--expose-gc`. */
export function collectGarbage(): void {
  (globalThis as { gc?: () => void }).gc?.();
}
