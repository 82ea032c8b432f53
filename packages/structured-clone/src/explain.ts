import { CloneError, describe, type Refusal } from './clone-error.ts';
import { codecOf } from './registered.ts';
import { HIDDEN } from './types/errors.ts';
import type { Writing } from './write.ts';

/**
 * Kinds of values that are refused: a pattern for the kind, advice on what to pass instead, and a name for the kind if
 * the name of its class says too little.
 */
const KINDS: readonly [kind: RegExp, advice: string, what?: string][] = [
  [/^Symbol/, 'pass a string', 'symbols'],
  [/^Class/, 'pass their names', 'classes'],
  [/Function$/, 'pass what they return', 'functions'],
  [/Stream$/, 'read them first'],
  [/^Async/, 'pass an array of what they yield', 'async iterables'],
  [/^Iterator/, 'pass an array of what they yield', 'generators and iterators'],
  [/^Promise/, 'await them first'],
  [/^WeakRef/, 'pass what deref() returns'],
  [/^Weak/, 'nothing tells what they hold; pass a Map or a Set'],
  [/^Shared/, 'pass a copy of the bytes'],
  [/Array$|^DataView/, 'make them anew', 'views beyond the end of their buffer'],
  [/^Intl|^Node/, 'pass data, such as their text'],
  [/^Inherited/, 'pass a copy, as { ...object } makes it', 'objects that inherit from others'],
  [/^Unreal/, 'this is none, but a Proxy or the like; pass what that stands for'],
  [/^/, 'register the class, or pass a plain object'],
];

/** Refusals for other reasons: a pattern for the beginning of the message, and advice. */
const OTHERS: typeof KINDS = [
  [/^named/, 'pass them beside it, or register its class'],
  [/^detached/, 'pass a copy that was made before'],
];

/** Supported classes whose instances are refused only if they are no real ones. */
const SUPPORTED =
  /^(Map|Set|Date|RegExp|Number|String|Boolean|BigInt|ArrayBuffer|URL|URLSearchParams|Headers|FormData|Request|Response|Blob|File|DOMException)$/;

/** Completes a refusal with the path from the root to its subject, and with advice. Returns any other error unchanged. */
export function explain(error: unknown, value: unknown, { root = 'value' }: Pick<Writing, 'root'>): unknown {
  if (!(error instanceof CloneError && 'subject' in error)) return error;
  const { code, message, subject } = error as Refusal;
  try {
    const end = ' cannot be cloned';
    const isSymbol = typeof subject === 'symbol';
    const isKind = isSymbol || message === describe(subject as object) + end;
    const kind = isSymbol ? 'Symbol' : isKind ? kindOf(subject as object) : message;
    const found = (isKind ? KINDS : OTHERS).find(([pattern]) => pattern.test(kind));
    const advised = found ? `${found[2] ? found[2] + end : message}: ${found[1]}` : message;
    return new CloneError(code, advised, pathTo(value, subject, root));
  } catch {
    // A getter or a Proxy threw an error of its own when it was read again.
    return new CloneError(code, message);
  }
}

/** Returns the kind of an object: by how it behaves, or else by its own name for itself. */
function kindOf(object: object & { next?: unknown; then?: unknown; nodeType?: unknown }): string {
  const brand = Object.prototype.toString.call(object).slice(8, -1);
  if (typeof object === 'function') return /^class\b/.test(Function.prototype.toString.call(object)) ? 'Class' : brand;
  if (brand.endsWith('Stream')) return brand;
  if (Symbol.asyncIterator in object) return 'AsyncIterator';
  if (Symbol.iterator in object && typeof object.next === 'function') return 'Iterator';
  if (typeof object.then === 'function') return 'Promise';
  if (typeof object.nodeType === 'number') return 'Node';
  const { name } = object.constructor ?? {};
  if (name === 'Object') return 'Inherited';
  return SUPPORTED.test(name) ? 'Unreal' : brand;
}

/** Returns the path of the subject, such as `value.users[3].token`, or undefined if it is not found. */
function pathTo(root: unknown, subject: unknown, name: string): string | undefined {
  const paths = new Map([[root, name]]);
  // The map grows during the loop, so the nearest place is found first.
  for (const [value, path] of paths) {
    if (value === subject) break;
    // Functions are skipped too. A stub is a function, and its members have members without end.
    if (typeof value !== 'object' || value === null) continue;
    const add = (item: unknown, step: string) => {
      // Other items hold nothing, and there may be millions of them.
      if ((typeof item === 'object' || item === subject) && !paths.has(item)) paths.set(item, path + step);
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
    // Keys of a long list, as text, would take a hundred times its memory. There may be as many holes as names.
    const items = isList ? Object.values(value) : [];
    if (isList && items.length === value.length && items.every((_, at) => Object.hasOwn(value, at))) {
      items.forEach((item, at) => {
        if (typeof item === 'object' || item === subject) add(item, `[${at}]`);
      });
    } else {
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
