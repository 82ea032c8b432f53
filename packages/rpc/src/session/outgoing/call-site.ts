const located = new WeakSet<object>();

/**
 * Adds to an error's stack who waits for the call, and returns the error. Called while its promise is being rejected, where
 * engines of the V8 family know that: so it costs nothing when calls are made, and nothing when they succeed.
 */
export function locateCaller(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || located.has(error)) return error;
  located.add(error);
  // The message, this function and the handler that called it; and on the way to who waits, what the platform itself runs.
  const waiting =
    new Error().stack
      ?.split('\n')
      .slice(3)
      .filter((line) => /^\s+at (?!.*node:internal)/.test(line)) ?? [];
  if (waiting.length === 0) return error;
  const ours = [error.stack, `    at remote ${name}()`, ...waiting].join('\n');
  try {
    Object.defineProperty(error, 'stack', { value: ours, configurable: true, writable: true });
  } catch {
    // A frozen error stays as it is.
  }
  return error;
}
