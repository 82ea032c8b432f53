import { describe, placed, Refusal } from './clone-error.ts';
import { checkCounts, checkLimit } from './limits.ts';
import { ownProperty, rowOf, stepTo } from './types.ts';
import type { Writing } from './write.ts';

type Fields = Record<string, unknown>;

/** The state of writing one value. */
export interface State {
  readonly writing: Writing;
  depth: number;
  weight: number;
  /** The number of bytes that the value has added to the tail. */
  bytes: number;
  /** True once the form holds a mark. */
  hasMarks?: boolean;
  /** The first object. A set takes longer to make than most values that are a single object take to write. */
  first?: object;
  /** All objects of the value, in the order of their numbers. Numbers are worked out when an object occurs again. */
  seen?: Set<object>;
  numbers?: Map<object, number>;
  /** Objects that are being taken apart and whose parts may not refer back to them. */
  unfinished?: object[];
  used?: Set<object>;
  /** The buffers that several objects use, as far as it is known. */
  shared?: Set<object> | undefined;
}

/** What taking an instance apart may depend on. */
export type Taking = Pick<State, 'used' | 'shared'> & { readonly writing: Pick<Writing, 'bodies' | 'stacks'> };

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
      checkLimit('maxBigIntDigits', digits.replace('-', '').length, state.writing.limits);
      return mark('$bigint', digits, state);
    }
    case 'symbol':
      throw new Refusal(value);
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
  const { first } = state;
  if (first) {
    state.seen ??= new Set([first]);
    const { size } = state.seen;
    if (state.seen.add(value).size === size) {
      if (state.unfinished?.includes(value)) throw new Refusal(value, 'cycles through registered classes');
      state.numbers ??= new Map([...state.seen].map((known, number) => [known, number]));
      return mark('$reference', state.numbers.get(value), state);
    }
    state.numbers?.set(value, size);
  } else state.first = value;
  const { limits } = state.writing;
  if (++state.depth > limits.maxDepth || ++state.weight > limits.maxObjects) {
    checkCounts(state.depth, state.weight, limits);
  }
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
  if (isList) {
    form = Object.values(value);
    const { length } = value as unknown[];
    let at = 0;
    while (at < length && at in value) at++;
    // There may be as many holes as named properties.
    if (at < length || length !== (form as unknown[]).length) keys = Object.keys(value);
  } else {
    let first = '';
    for (first in value) break;
    // Keys that are indices come first.
    form = first < ':' && first >= '0' ? spaced(value as Fields) : { ...value };
    keys = Object.keys(form);
  }
  const items = isList ? (form as unknown[]) : Object.values(form);
  // Nothing but a text with marks is an object with this key.
  if (state.depth === 1 && Object.hasOwn(form, '$')) state.hasMarks = true;
  let at = 0;
  try {
    for (; at < items.length; at++) {
      const item = items[at];
      const type = typeof item;
      if (type === 'string' || type === 'boolean' || item === null) continue;
      if (type === 'object') (form as Fields)[isList ? at : keys![at]] = object(item as object, state);
      else if (type !== 'number' || !((item as number) - (item as number) === 0 && (item !== 0 || 1 / item > 0))) {
        (form as Fields)[isList ? at : keys![at]] = formOf(item, state);
      }
    }
  } catch (error) {
    throw placed(error, keys ? stepTo(keys[at], isList) : at);
  }
  if (!keys) return form;
  if (!isList) return its || (keys.length === 1 && keys[0][0] === '$') ? mark(its ?? '$', form, state) : form;
  const { length } = value as unknown[];
  // A hole takes memory but no text.
  state.weight += Math.max(length - keys.length, 0);
  checkCounts(state.depth, state.weight, state.writing.limits);
  return mark('$Array', [length, ...keys.flatMap((key, at) => [key, items[at]])], state);
}

/** Copies fields whose keys may be indices. V8 would make room for all smaller ones. */
function spaced(fields: Fields): Fields {
  const copy = {};
  for (const key of Object.keys(fields)) ownProperty(copy, key, fields[key]);
  return copy;
}

/** Returns the form of an object that is neither a plain one nor an array of this realm. */
function instance(value: object, prototype: object | null, isList: boolean, state: State): unknown {
  if (!prototype) return plain(value, isList, state, '$null');
  const { writing } = state;
  let its = writing.refer?.(value) ?? writing.types.encode?.(value);
  if (!its && typeof value !== 'function') {
    // A plain object of another realm, or any array.
    const isPlain = !Object.getPrototypeOf(prototype) && Object.hasOwn(prototype, 'isPrototypeOf');
    const form = isList || isPlain ? plain(value, isList, state) : typed(value, prototype, state);
    if (form) return form;
  }
  its ??= writing.extend?.(value);
  if (!its) throw new Refusal(value);
  const { name, parts } = its;
  state.unfinished ??= [];
  state.unfinished.push(value);
  const forms = parts.map((part) => {
    try {
      return formOf(part, state);
    } catch (error) {
      throw placed(error, name === 'class' ? '.encode()' : '');
    }
  });
  state.unfinished.pop();
  return mark(`$${name}`, forms, state);
}

/** Marks by the prototypes of the platform. Finding them out, and making them, takes longer than all else. */
const marks = /* @__PURE__ */ new WeakMap<object, string>();

/** Returns the form of an instance of a supported class; undefined for all others. */
function typed(value: object, prototype: object, state: State): unknown {
  const known = marks.get(prototype);
  if (known) return taken(known, value, state);
  // The classes of `Temporal` share one mark, so their tags have two parts.
  const [type, tag = type] = Object.prototype.toString.call(value).slice(8, -1).split('.');
  for (let at = prototype; at; at = Object.getPrototypeOf(at)) {
    // Built-in classes name themselves, in every realm. But any class can give itself any name, so that class must also
    // be among those that the instance inherits from. An error has the class of its nearest ancestor that is supported,
    // whatever it calls itself.
    const name = Object.hasOwn(at, 'constructor') && at.constructor?.name;
    if (!name || (name !== tag && !name.endsWith('Error'))) continue;
    const mark = `$${name === tag ? type : name}`;
    const form = taken(mark, value, state);
    if (!form) continue;
    if (at === prototype) marks.set(prototype, mark);
    return form;
  }
  return undefined;
}

/** Returns the form of an instance of a class with this mark; undefined if it is not supported. */
function taken(name: string, value: object, state: State): unknown {
  const { types, limits, tail, base64 } = state.writing;
  const row = rowOf(name, types);
  if (!row) return undefined;
  let parts: unknown[];
  try {
    parts = row.take(value, state);
  } catch (error) {
    // The platform throws one if the value only looks like an instance, as a Proxy does, or can no longer be used.
    throw error instanceof TypeError && !name.endsWith('Error') ? new Refusal(value) : error;
  }
  if (!row.hasOwn) refuseNamed(value);
  if (row.weigh) state.weight += row.weigh(parts) - 1;
  checkCounts(state.depth, state.weight, limits);
  let at = 0;
  try {
    for (; at < parts.length; at++) {
      const part = parts[at];
      if (part instanceof Uint8Array && !row.empty) {
        parts[at] = { $bytes: base64 ? base64(part) : part.length };
        if (base64) continue;
        state.bytes += part.length;
        tail.push(part);
      } else parts[at] = formOf(part, state);
    }
  } catch (error) {
    throw placed(error, row.stepTo?.(parts, at) ?? '');
  }
  return mark(name, parts, state);
}

/**
 * Refuses an instance with properties of its own, because they would be lost. Node defines the `constructor` of
 * some Blobs on them. The keys of a long string are not listed: their names would take a hundred times its memory.
 */
function refuseNamed(value: object): void {
  const own = value instanceof String ? value.length : 0;
  const named = own < 10_000 ? Object.keys(value) : [];
  if (
    named.length > own &&
    (`${named.slice(own)}` !== 'constructor' || value.constructor !== Object.getPrototypeOf(value).constructor)
  ) {
    throw new Refusal(value, `named properties of ${describe(value)}`, 'pass them beside it, or register its class');
  }
}
