import { malformed } from '../clone-error.ts';
import { ownProperty } from '../own-property.ts';
import type { Sink, Source } from './type-handler.ts';

/** On the wire an error's class is its place in this list: append only. A class that is not here travels as its nearest ancestor that is. */
const CLASSES = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError];
const NAMES: readonly unknown[] = CLASSES.map((constructor) => constructor.name);

/** Properties that a constructor sets itself, so that they are not enumerable. */
const HIDDEN = ['cause', 'errors'];
/** Properties that travel outside the list of own properties. */
const APART = ['name', 'message', 'stack'];

export function writeError(error: Error, sink: Sink): void {
  const classIndex = classIndexOf(error);
  const name = error.name === NAMES[classIndex] ? undefined : asString(error.name);
  const properties = Object.keys(error).filter((key) => !APART.includes(key) && !HIDDEN.includes(key));
  properties.push(...HIDDEN.filter((key) => Object.hasOwn(error, key)));
  sink.value(classIndex);
  sink.value(name);
  sink.value(asString(error.message));
  sink.value(sink.errorStacks ? asString(error.stack) : undefined);
  sink.value(properties.length);
  for (const key of properties) {
    sink.value(key);
    sink.value(error[key as keyof Error]);
  }
}

export function readError(source: Source): Error {
  const reserved = source.reserve();
  const constructor = CLASSES[source.integer(CLASSES.length - 1)] as ErrorConstructor;
  const name = source.value();
  const message = source.string();
  const stack = source.value();
  const error: Error = Object.is(constructor, AggregateError)
    ? new AggregateError([], message)
    : new constructor(message);
  source.define(reserved, error);
  if (name !== undefined) ownProperty(error, 'name', textOf(name, 'name'), false);
  // Without one of its own, a stack made here would show the decoder's frames.
  ownProperty(error, 'stack', stack === undefined ? `${error.name}: ${message}` : textOf(stack, 'stack'), false);
  for (let left = source.count(); left > 0; left--) {
    const key = source.string();
    if (APART.includes(key)) throw malformed(`an error has its ${key} twice`);
    ownProperty(error, key, source.value(), !HIDDEN.includes(key));
  }
  return error;
}

/** Finds the nearest built-in class by the names on the prototypes, which works across realms too. */
function classIndexOf(error: Error): number {
  for (let prototype = Object.getPrototypeOf(error); prototype !== null; prototype = Object.getPrototypeOf(prototype)) {
    const index = Object.hasOwn(prototype, 'name') ? NAMES.indexOf(prototype.name) : -1;
    if (index >= 0) return index;
  }
  return 0;
}

function asString(value: unknown): string {
  return typeof value === 'string' ? value : String(value);
}

function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw malformed(`the ${what} of an error is not a string`);
  return value;
}
