import type { Types } from '../types/find.ts';
import { codecOf } from '../types/registered.ts';
import { advised } from './advice.ts';
import { CloneError, type Refusal } from './clone-error.ts';
import { isDense } from './dense.ts';

/**
 * Properties of errors that may be non-enumerable: the texts, those that a class may provide, and those that only a
 * `SuppressedError` has.
 */
export const HIDDEN = ['name', 'message', 'stack', 'cause', 'errors', 'error', 'suppressed'];

/** Completes a refusal with the path from `root` to its subject, and with advice. Returns any other error unchanged. */
export function located(error: unknown, root: unknown, types?: Types): unknown {
  if (!(error instanceof CloneError && 'subject' in error)) return error;
  const { code, message } = error;
  try {
    return new CloneError(code, advised(error as Refusal, types), pathTo(root, error.subject));
  } catch {
    // A getter or a Proxy threw an error of its own when it was read again.
    return new CloneError(code, message);
  }
}

/** Returns the path of the subject in `root`, such as `value.users[3].token`, or undefined if it is not found. */
function pathTo(root: unknown, subject: unknown): string | undefined {
  const paths = new Map([[root, 'value']]);
  // The map grows during the loop, so the nearest place is found first.
  for (const [value, path] of paths) {
    if (value === subject) break;
    // Functions are skipped too. A stub is a function, and its members have members without end.
    if (typeof value !== 'object' || value === null) continue;
    const add = (item: unknown, step: string | number) => {
      // Other items hold nothing, and there may be millions of them.
      if ((typeof item === 'object' || item === subject) && !paths.has(item))
        paths.set(item, path + (typeof step === 'number' ? `[${step}]` : step));
    };
    const codec = codecOf(Object.getPrototypeOf(value));
    if (codec) add(codec.encode(value), '.encode()');
    if (value instanceof Map || value instanceof Set || value instanceof FormData) {
      for (const list of ['values', 'keys'] as const) {
        [...value[list]()].forEach((item, index) => {
          add(item, `.${list}()[${index}]`);
        });
      }
    }
    const isList = Array.isArray(value);
    // Keys of a long list, as text, would take a hundred times its memory.
    if (isList && isDense(value)) Array.prototype.forEach.call(value, add);
    else {
      for (const key of keysOf(value)) {
        const index = isList && /^\d+$/.test(key) ? key : JSON.stringify(key);
        add((value as Record<string, unknown>)[key], /^[a-z_$][\w$]*$/i.test(key) ? `.${key}` : `[${index}]`);
      }
    }
  }
  return paths.get(subject);
}

function keysOf(value: object): string[] {
  // Elements of a view are never refused. There may be so many that their keys take a hundred times their memory.
  if (ArrayBuffer.isView(value)) return ['buffer'];
  // So would those of a boxed string.
  if (value instanceof String) return [];
  // `Object.keys` leaves out the hidden properties of errors. A stack is text, which engines may make only when it is
  // read, and fail to make if the message is none.
  const hidden = value instanceof Error ? HIDDEN.filter((key) => key !== 'stack' && key in value) : [];
  return [...Object.keys(value), ...hidden];
}
