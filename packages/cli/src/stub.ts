import { connection } from '@lumenize/rpc';

/** Returns true if a value is a stub. */
export function isStub(value: unknown): value is object {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  try {
    connection(value);
    return true;
  } catch {
    return false;
  }
}
