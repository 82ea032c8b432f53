import { type Counts, checkLimit, count } from './limits.ts';
import { describe, ownProperty, type Row, refuse, rowOf, stepTo, type Taking } from './types.ts';
import type { Writing } from './write.ts';

type Fields = Record<string, unknown>;

/** The state of writing one value. It is thrown if the value holds something that cannot be cloned. */
export interface State extends Counts, Taking {
  readonly writing: Writing;
  /** The number of bytes that the value has added to the tail. */
  bytes: number;
  /** The path from the value to what failed. Each level adds its step, innermost first. */
  path: string;
  /** True once the form holds a mark. */
  hasMarks?: boolean;
  /** The first object. A set takes longer to make than most values that are a single object take to write. */
  first?: object;
  /** All objects of the value, in the order of their numbers. Numbers are worked out when an object occurs again. */
  seen?: Set<object>;
  numbers?: Map<object, number>;
  /** Objects that are being taken apart and whose parts may not refer back to them. */
  unfinished?: object[];
}

/**
 * Returns the form of a value, in which marks stand for what JSON does not have. The form is a copy of all objects: so
 * each property is read once, and what was checked is what is sent.
 */
export function formOf(value: unknown, state: State): unknown {
  switch (typeof value) {
    case 'number':
      if (value - value === 0 && (value !== 0 || 1 / value > 0)) return value;
      return mark('$number', value === 0 ? '-0' : `${value}`, state);
    case 'undefined':
      return mark('$undefined', 0, state);
    case 'bigint': {
      const digits = `${value}`;
      checkLimit('maxBigIntDigits', digits.replace('-', '').length, state.limits);
      return mark('$bigint', digits, state);
    }
    case 'symbol':
      return refuseUnknown(value, state);
    case 'object':
    case 'function':
      return value && object(value, state);
  }
  return value;
}

function mark(name: string, content: unknown, state: State): Fields {
  state.hasMarks = true;
  return { [name]: content };
}

/** Gives an object its number, and returns its form. */
export function object(value: object, state: State): unknown {
  const { first, limits } = state;
  if (first) {
    state.seen ??= new Set([first]);
    const { size } = state.seen;
    if (state.seen.add(value).size === size) {
      if (state.unfinished?.includes(value)) refuse(state, 'cycles through registered classes');
      state.numbers ??= new Map([...state.seen].map((known, number) => [known, number]));
      return mark('$reference', state.numbers.get(value), state);
    }
    state.numbers?.set(value, size);
  } else state.first = value;
  if (++state.depth > limits.maxDepth || ++state.weight > limits.maxObjects) count(state, 0);
  const prototype = Object.getPrototypeOf(value);
  const isList = Array.isArray(value);
  const form =
    prototype === (isList ? Array : Object).prototype
      ? plain(value, isList, state)
      : instance(value, prototype, isList, state);
  state.depth--;
  return form;
}

/**
 * Returns the form of a plain object or an array. It does most of the work itself, because calls are slow in code that
 * has just been loaded.
 */
function plain(value: object, isList: boolean, state: State, its?: string): unknown {
  let keys: string[] | undefined;
  let form: unknown[] | Fields;
  let length = 0;
  let at = 0;
  if (isList) {
    form = Object.values(value);
    ({ length } = value as unknown[]);
    while (at < length && at in value) at++;
    // There may be as many holes as named properties.
    if (at < length || length !== (form as unknown[]).length) keys = Object.keys(value);
  } else {
    let first = '';
    for (first in value) break;
    // Keys that are indices come first. V8 would make room for all smaller ones.
    if (first < ':' && first >= '0') {
      form = {};
      for (const key of Object.keys(value)) ownProperty(form, key, (value as Fields)[key]);
    } else form = { ...value };
    keys = Object.keys(form);
  }
  const items = isList ? (form as unknown[]) : Object.values(form);
  // Nothing but a text with marks is an object with this key.
  if (state.depth === 1 && Object.hasOwn(form, '$')) state.hasMarks = true;
  at = 0;
  try {
    for (; at < items.length; at++) {
      const item = items[at];
      const type = typeof item;
      if (type === 'string' || type === 'boolean' || item === null) continue;
      if (type === 'object') (form as Fields)[isList ? at : keys![at]] = object(item as object, state);
      else if (type !== 'number' || !item || (item as number) - (item as number) !== 0) {
        (form as Fields)[isList ? at : keys![at]] = formOf(item, state);
      }
    }
  } catch (error) {
    state.path = stepTo(keys ? keys[at] : at) + state.path;
    throw error;
  }
  if (!keys) return form;
  if (!isList) return its || (keys.length === 1 && keys[0][0] === '$') ? mark(its ?? '$', form, state) : form;
  // A hole takes memory but no text.
  count(state, Math.max(length - keys.length, 0));
  return mark('$Array', [length, ...keys.flatMap((key, at) => [key, items[at]])], state);
}

/** Returns the form of an object that is neither a plain one nor an array of this realm. */
function instance(value: object, prototype: object | null, isList: boolean, state: State): unknown {
  if (!prototype) return plain(value, isList, state, '$null');
  const { writing } = state;
  const { types, base64, tail } = writing;
  let its = writing.refer?.(value) ?? types.encode?.(value);
  let row: Row | undefined;
  if (!its && typeof value !== 'function') {
    // A plain object of another realm, or any array.
    if (isList || (!Object.getPrototypeOf(prototype) && Object.hasOwn(prototype, 'isPrototypeOf'))) {
      return plain(value, isList, state);
    }
    row = rowFor(value, prototype, types);
  }
  let parts: unknown[];
  if (row) {
    const { weight, mayOwn } = row;
    try {
      parts = row.take(value, state);
    } catch (error) {
      // The platform throws one if the value only looks like an instance, as a Proxy does, or can no longer be used.
      if (error instanceof TypeError && !row.mark.endsWith('Error')) refuseUnknown(value, state);
      throw error;
    }
    if (mayOwn !== true && !mayOwn?.(value) && Object.keys(value).length > 0) {
      refuse(state, `named properties of ${describe(value)}`, 'pass them beside it, or register its class');
    }
    if (weight !== 1) count(state, (typeof weight === 'number' ? weight : weight(parts)) - 1);
  } else {
    its ??= writing.extend?.(value) ?? refuseUnknown(value, state);
    parts = [...its.parts];
    state.unfinished ??= [];
    state.unfinished.push(value);
  }
  let at = 0;
  try {
    for (; at < parts.length; at++) {
      const part = parts[at];
      if (row && !row.empty && part instanceof Uint8Array) {
        parts[at] = { $bytes: base64 ? base64(part) : part.length };
        if (base64) continue;
        state.bytes += part.length;
        tail.push(part);
      } else parts[at] = formOf(part, state);
    }
  } catch (error) {
    state.path = (row ? (row.stepTo?.(parts, at) ?? '') : its!.name === 'class' ? '.encode()' : '') + state.path;
    throw error;
  }
  if (row) return mark(row.mark, parts, state);
  state.unfinished!.pop();
  return mark(`$${its!.name}`, parts, state);
}

/** Returns the row of the class of an instance, if it is supported. */
function rowFor(value: object, prototype: object, types: Writing['types']): Row | undefined {
  types.met ??= new WeakMap();
  let row = types.met.get(prototype);
  // The classes of `Temporal` share one mark, so their tags have two parts.
  const [type, tag = type] = row ? [] : Object.prototype.toString.call(value).slice(8, -1).split('.');
  for (let at = prototype; at && !row; at = Object.getPrototypeOf(at)) {
    // Built-in classes name themselves, in every realm. But any class can give itself any name, so that class must also
    // be among those that the instance inherits from. An error has the class of its nearest ancestor that is supported,
    // whatever it calls itself.
    const name = at.constructor?.name;
    if (name === tag || name?.endsWith('Error')) row = rowOf(`$${name === tag ? type : name}`, types);
    if (row) types.met.set(prototype, row);
  }
  return row;
}

function refuseUnknown(value: unknown, state: State): never {
  const { types } = state.writing;
  const [what, advice] = types.explain?.(value, types) ?? [describe(value as object)];
  refuse(state, what, advice);
}
