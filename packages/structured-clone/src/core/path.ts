import type { Types } from '../types/find.ts';
import { codecOf } from '../types/registered.ts';
import { advised } from './advice.ts';
import { CloneError, type Refusal } from './clone-error.ts';

/** Properties of errors that need not be enumerable: texts, what classes may give, and what only a `SuppressedError` has. */
export const HIDDEN = ['name', 'message', 'stack', 'cause', 'errors', 'error', 'suppressed'];

/** Returns the same error with the path from the value being encoded to its subject, and with what can be done about it. */
export function located(error: unknown, root: unknown, types?: Types): unknown {
  if (!(error instanceof CloneError && 'subject' in error)) return error;
  const { code, message } = error;
  try {
    return new CloneError(code, advised(error as Refusal, types), pathTo(root, error.subject));
  } catch {
    // A getter that is called once more, or a Proxy, threw something of its own.
    return new CloneError(code, message);
  }
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
    const codec = codecOf(Object.getPrototypeOf(value));
    if (codec) add(codec.encode(value), '.encode()');
    if (value instanceof Map || value instanceof Set || value instanceof FormData) {
      for (const list of ['values', 'keys'] as const) {
        [...value[list]()].forEach((item, index) => {
          add(item, `.${list}()[${index}]`);
        });
      }
    }
    for (const key of keysOf(value)) {
      const index = Array.isArray(value) && /^\d+$/.test(key) ? key : JSON.stringify(key);
      add((value as Record<string, unknown>)[key], /^[a-z_$][\w$]*$/i.test(key) ? `.${key}` : `[${index}]`);
    }
  }
  return paths.get(subject);
}

function keysOf(value: object): string[] {
  // Its elements are never refused, and may be so many that their keys take a hundred times their memory.
  if (ArrayBuffer.isView(value)) return ['buffer'];
  // These are not enumerable.
  return [...Object.keys(value), ...(value instanceof Error ? HIDDEN.filter((key) => key in value) : [])];
}
