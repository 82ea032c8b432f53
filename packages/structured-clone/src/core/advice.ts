import type { Types } from '../types/find.ts';
import { describe, type Refusal } from './clone-error.ts';

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
  [/^Imitated/, 'its class is one like that of the platform, as happy-dom has it; pass one of the platform'],
  [/^Unreal/, 'this is none, but a Proxy or the like; pass what that stands for'],
  [/^/, 'register the class, or pass a plain object'],
];

/** Refusals for other reasons: a pattern for the beginning of the message, and advice. */
const OTHERS: typeof KINDS = [
  [/^named/, 'pass them beside it, or register its class'],
  [/^detached/, 'pass a copy that was made before'],
];

/** Returns the message of a refusal, with a clearer name for the value and with advice. */
export function advised({ message, subject }: Refusal, types?: Types): string {
  const end = ' cannot be cloned';
  const isSymbol = typeof subject === 'symbol';
  const isKind = isSymbol || message === describe(subject as object) + end;
  const kind = isSymbol ? 'Symbol' : isKind ? kindOf(subject as object, types) : message;
  const found = (isKind ? KINDS : OTHERS).find(([pattern]) => pattern.test(kind));
  return found ? `${found[2] ? found[2] + end : message}: ${found[1]}` : message;
}

/** Returns the kind of an object: by how it behaves, or else by its own name for itself. */
function kindOf(
  object: object & { next?: unknown; then?: unknown; nodeType?: unknown },
  types: Types | undefined,
): string {
  const brand = Object.prototype.toString.call(object).slice(8, -1);
  if (typeof object === 'function') return /^class\b/.test(Function.prototype.toString.call(object)) ? 'Class' : brand;
  if (brand.endsWith('Stream')) return brand;
  if (Symbol.asyncIterator in object) return 'AsyncIterator';
  if (Symbol.iterator in object && typeof object.next === 'function') return 'Iterator';
  if (typeof object.then === 'function') return 'Promise';
  if (typeof object.nodeType === 'number') return 'Node';
  const { name } = object.constructor ?? {};
  if (name === 'Object') return 'Inherited';
  // A refused object of a supported class is not a real instance. Views are the exception: a real view is refused if it
  // is too long for its buffer.
  if (!types?.byMark.has(`$${name}`) || /Array$|View$/.test(name)) return brand;
  // A Proxy of a Blob, File, FormData or Headers calls itself as that does.
  return brand === 'Object' && /^(Bl|F|H)/.test(name) ? 'Imitated' : 'Unreal';
}
