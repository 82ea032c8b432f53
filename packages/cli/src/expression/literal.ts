import type { Expression, NewExpression, ObjectExpression } from 'acorn';
import { printable } from '../printable.ts';
import { UsageError } from '../usage-error.ts';
import type { Part } from './parse.ts';

/** Thrown if an expression is not a literal: it names something or computes. */
export class NotLiteral extends Error {}

type Constructor = new (...args: never[]) => unknown;

/**
 * Classes that can be written with `new`, because their instances can be sent. None of them runs code that it is given
 * or accesses anything outside.
 */
const CONSTRUCTORS: ReadonlyMap<string, Constructor> = new Map<string, Constructor>(
  [
    ArrayBuffer,
    BigInt64Array,
    BigUint64Array,
    Blob,
    Date,
    Error,
    Float32Array,
    Float64Array,
    Headers,
    Int16Array,
    Int32Array,
    Int8Array,
    Map,
    RangeError,
    RegExp,
    Set,
    TypeError,
    URL,
    URLSearchParams,
    Uint16Array,
    Uint32Array,
    Uint8Array,
    Uint8ClampedArray,
  ].map((constructor) => [constructor.name, constructor]),
);

const NAMES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['undefined', undefined],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
]);

/**
 * Returns the value of a literal: the values of JSON, and `undefined`, bigints, holes, `new Map(…)` and similar ones.
 * Runs no code.
 * @throws {NotLiteral} if the expression is not a literal
 * @throws {UsageError} if a class cannot make an instance of what it is given
 */
export function literalOf(part: Part): unknown {
  switch (part?.type) {
    case 'Literal':
      return part.regex ? new RegExp(part.regex.pattern, part.regex.flags) : part.value;
    case 'TemplateLiteral':
      if (part.expressions.length === 0) return part.quasis[0].value.cooked;
      break;
    case 'Identifier':
      if (NAMES.has(part.name)) return NAMES.get(part.name);
      break;
    case 'UnaryExpression':
      return negated(part.operator, literalOf(part.argument));
    case 'ArrayExpression':
      return listOf(part.elements);
    case 'ObjectExpression':
      return objectOf(part);
    case 'NewExpression':
      return made(part);
  }
  throw new NotLiteral();
}

function negated(operator: string, value: unknown): unknown {
  if (operator === '-' && (typeof value === 'number' || typeof value === 'bigint')) return -value;
  if (operator === '+' && typeof value === 'number') return value;
  throw new NotLiteral();
}

/** Returns the list of an array literal. In `[1, , 3]` the second item is a hole, which differs from undefined. */
function listOf(elements: readonly Part[]): unknown[] {
  const list = new Array<unknown>(elements.length);
  for (const [index, element] of elements.entries()) if (element !== null) list[index] = literalOf(element);
  return list;
}

function objectOf({ properties }: ObjectExpression): object {
  const object = {};
  for (const property of properties) {
    if (property.type !== 'Property' || property.computed || property.kind !== 'init') throw new NotLiteral();
    const { key } = property;
    const name = key.type === 'Identifier' ? key.name : String(literalOf(key as Expression));
    // Defined and not assigned, so that `__proto__` is a name like any other.
    const descriptor = {
      value: literalOf(property.value as Expression),
      writable: true,
      enumerable: true,
      configurable: true,
    };
    Object.defineProperty(object, name, descriptor);
  }
  return object;
}

function made({ callee, arguments: args }: NewExpression): unknown {
  const constructor = callee.type === 'Identifier' ? CONSTRUCTORS.get(callee.name) : undefined;
  if (constructor === undefined) throw new NotLiteral();
  const values = args.map(literalOf);
  try {
    return Reflect.construct(constructor, values);
  } catch (error) {
    const shown = values.map((value) => printable(value)).join(', ');
    throw new UsageError(`new ${constructor.name}(${shown}): ${(error as Error).message}`);
  }
}
