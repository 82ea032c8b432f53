import { describe } from './clone-error.ts';
import type { Types } from './types.ts';

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
  [/^Unreal/, 'this is none, but a Proxy, or of a library; pass a real one'],
  [/^/, 'register the class, or pass a plain object'],
];

/** Returns what a refused value is called, and what to do instead. */
export function explain(subject: unknown, types: Types): [what: string, advice: string] {
  const kind = kindOf(subject as object, types);
  const [, advice, what = describe(subject as object)] = KINDS.find(([pattern]) => pattern.test(kind))!;
  return [what, advice];
}

/** Returns the kind of a value: by how it behaves, or else by its own name for itself. */
function kindOf(object: object & { next?: unknown; then?: unknown; nodeType?: unknown }, types: Types): string {
  const brand = Object.prototype.toString.call(object).slice(8, -1);
  if (typeof object === 'function') return /^class\b/.test(Function.prototype.toString.call(object)) ? 'Class' : brand;
  if (typeof object !== 'object' || ArrayBuffer.isView(object) || brand.endsWith('Stream')) return brand;
  if (Symbol.asyncIterator in object) return 'AsyncIterator';
  if (Symbol.iterator in object && typeof object.next === 'function') return 'Iterator';
  if (typeof object.then === 'function') return 'Promise';
  if (typeof object.nodeType === 'number') return 'Node';
  const { name } = object.constructor ?? {};
  if (name === 'Object') return 'Inherited';
  // A supported class whose instances are refused only if they are no real ones.
  return types.find(`$${name}`) ? 'Unreal' : brand;
}
