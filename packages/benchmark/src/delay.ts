/** Resolves after `ms`; in a Worker too, where Node's own is not. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
