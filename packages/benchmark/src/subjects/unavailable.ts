/** Says that a subject has no way to do what a scenario asks for: no failure of a run, but a row that says so. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

/** Codes by which Lumenize RPC says, before or after sending, that it does not carry something. */
const REFUSALS: ReadonlySet<unknown> = new Set(['NOT_CLONEABLE', 'METHOD_NOT_FOUND', 'REFERENCE_LOST', 'TOO_LARGE']);

/** Returns the first line of why `error` means that the subject cannot do it; undefined where it means a failure. */
export function unavailableBecause(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (!(error instanceof Unavailable) && !REFUSALS.has((error as { code?: unknown }).code)) return undefined;
  return error.message.split('\n')[0];
}
