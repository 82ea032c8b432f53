import { CloneError, type Refusal } from './clone-error.ts';

/** Returns the same error with the path from the value being encoded to its subject. */
export function located(error: unknown, root: unknown): unknown {
  return error instanceof CloneError && 'subject' in error
    ? new CloneError(error.code, error.message, pathTo(root, (error as Refusal).subject))
    : error;
}

/** Finds where in `root` the subject stands, as `value.users[3].token`; undefined where it is not found. */
function pathTo(root: unknown, subject: unknown): string | undefined {
  const paths = new Map([[root, 'value']]);
  // The map grows while it is gone through: the nearest place is found first.
  for (const [value, path] of paths) {
    if (value === subject) break;
    // Nor what a stub is, a function: its members have members without an end.
    if (typeof value !== 'object' || value === null) continue;
    const add = (item: unknown, step: string) => paths.has(item) || paths.set(item, path + step);
    if (value instanceof Map || value instanceof Set) {
      for (const list of ['values', 'keys'] as const) {
        [...value[list]()].forEach((item, index) => {
          add(item, `.${list}()[${index}]`);
        });
      }
    }
    // These are not enumerable.
    const hidden = value instanceof Error ? ['cause', 'errors'] : [];
    for (const key of [...Object.keys(value), ...hidden]) {
      const index = Array.isArray(value) && /^\d+$/.test(key) ? key : JSON.stringify(key);
      add((value as Record<string, unknown>)[key], /^[a-z_$][\w$]*$/i.test(key) ? `.${key}` : `[${index}]`);
    }
  }
  return paths.get(subject);
}
