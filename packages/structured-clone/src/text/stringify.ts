import { limitExceeded, notCloneable } from '../clone-error.ts';
import { extend } from '../extend.ts';
import {
  checkLimit,
  countHoles,
  formatBigInt,
  type Limits,
  MAX_NESTED,
  MAX_RECURSION,
  resolveLimits,
  weightOf,
} from '../limits.ts';
import type { EncodeOptions } from '../options.ts';
import { ownProperty } from '../own-property.ts';
import { located } from '../path.ts';
import { codecOf } from '../registry.ts';
import { type BufferSharing, createBufferSharing } from '../types/buffer-sharing.ts';
import { createIdentities } from '../types/identities.ts';
import { isPlainPrototype } from '../types/plain.ts';
import { isDense, takeApart, typeOf } from '../types/take-apart.ts';
import { ARRAY, TYPE_NAMES, VIEW } from '../types/type-names.ts';
import { toBase64 } from './base64.ts';
import * as marks from './marks.ts';

/**
 * Writes a value as text: JSON as it is where JSON can say the value, marked objects where it cannot.
 * @throws {CloneError} where the value holds something that cannot be cloned, with the path to it
 */
export function stringify(value: unknown, options: EncodeOptions = {}): string {
  const sharing = createBufferSharing();
  try {
    const text = textOf(value, options, sharing);
    return sharing.again() ? textOf(value, options, sharing) : text;
  } catch (error) {
    throw located(error, value);
  }
}

function textOf(value: unknown, options: EncodeOptions, sharing: BufferSharing): string {
  const limits = resolveLimits(options.limits);
  const text = JSON.stringify(new TextForm(options, limits, sharing).whole(value));
  checkLimit('maxBytes', text.length, limits);
  return text;
}

/** Turns one value into a tree that JSON can say. */
class TextForm {
  readonly #options: EncodeOptions;
  readonly #limits: Readonly<Limits>;
  readonly #sharing: BufferSharing;
  readonly #identities = createIdentities();
  #objects = 0;
  #weight = 0;
  #holes = 0;
  #depth = 0;
  /** The depth at which the recursion began: what is nested deeper in it than `MAX_NESTED` waits. */
  #base = 0;
  #later: { depth: number; write: () => unknown }[] = [];
  /** Numbers of the objects whose payloads are being written: they do not exist for the other side yet. */
  readonly #unfinished: number[] = [];

  constructor(options: EncodeOptions, limits: Readonly<Limits>, sharing: BufferSharing) {
    this.#options = options;
    this.#limits = limits;
    this.#sharing = sharing;
  }

  /** Returns the form of a value with all that had to wait in it. */
  whole(value: unknown): unknown {
    const outer = { later: this.#later, depth: this.#depth, base: this.#base };
    this.#later = [];
    const form = this.of(value);
    const waited: unknown[] = [];
    // The list grows while it is gone through.
    for (const { depth, write } of this.#later) {
      this.#depth = depth;
      this.#base = depth - outer.depth + outer.base;
      waited.push(write());
    }
    this.#later = outer.later;
    this.#depth = outer.depth;
    this.#base = outer.base;
    return waited.length > 0 ? { [marks.WITH_LATER]: [form, ...waited] } : form;
  }

  of(value: unknown): unknown {
    switch (typeof value) {
      case 'string':
        checkLimit('maxStringLength', value.length, this.#limits);
        return value;
      case 'boolean':
        return value;
      case 'number':
        return Number.isFinite(value) && !Object.is(value, -0)
          ? value
          : { [marks.NUMBER]: Object.is(value, -0) ? '-0' : String(value) };
      case 'undefined':
        return { [marks.UNDEFINED]: 0 };
      case 'bigint':
        return { [marks.BIGINT]: formatBigInt(value, this.#limits) };
      case 'symbol':
        throw notCloneable('symbols', value);
      default:
        return value === null ? null : this.#identified(value as object);
    }
  }

  #identified(object: object): unknown {
    const known = this.#identities.add(object);
    if (known >= 0) {
      if (this.#unfinished.includes(known)) throw notCloneable('cycles through registered classes', object);
      return { [marks.REFERENCE]: known };
    }
    this.#objects++;
    this.#weigh(1);
    if (++this.#depth > this.#limits.maxDepth) throw limitExceeded('maxDepth', this.#limits);
    const form = this.#object(object);
    this.#depth--;
    return form;
  }

  #weigh(more: number): void {
    this.#weight += more;
    if (this.#weight > this.#limits.maxObjects) throw limitExceeded('maxObjects', this.#limits);
  }

  #object(object: object): unknown {
    if (Array.isArray(object)) {
      return isDense(object) ? this.#contents(() => this.#items(object)) : this.#typed(ARRAY, object);
    }
    const prototype = Object.getPrototypeOf(object);
    if (prototype === Object.prototype) return this.#contents(() => this.#plain(object));
    if (prototype === null) return this.#contents(() => ({ [marks.NULL_PROTOTYPE]: this.#plain(object) }));
    const codec = codecOf(prototype);
    const type = codec ? -1 : typeOf(object, prototype);
    if (type >= 0) return this.#typed(type, object);
    if (!codec && isPlainPrototype(prototype)) return this.#contents(() => this.#plain(object));
    const { kind, payload } = extend(object, codec, this.#options);
    if (this.#depth - this.#base > MAX_RECURSION) throw limitExceeded('maxDepth', this.#limits);
    this.#unfinished.push(this.#objects - 1);
    const form = { [marks.EXTENSION]: [kind, this.whole(payload)] };
    this.#unfinished.pop();
    return form;
  }

  /** Returns the form of a container's contents, or, where the recursion is deep already, what stands for it. */
  #contents(write: () => unknown): unknown {
    if (this.#depth - this.#base <= MAX_NESTED) return write();
    this.#later.push({ depth: this.#depth, write });
    return { [marks.LATER]: 0 };
  }

  #typed(type: number, object: object): unknown {
    this.#weigh(weightOf(type) - 1);
    const write = () => {
      const parts = takeApart(type, object, this.#sharing.add, this.#options);
      if (type === ARRAY) {
        this.#holes += countHoles((object as unknown[]).length, parts.length);
        checkLimit('maxHoles', this.#holes, this.#limits);
      }
      return { [marks.MARK + TYPE_NAMES[type]]: parts.map((part) => this.#part(type, part)) };
    };
    return type < VIEW ? this.#contents(write) : write();
  }

  #part(type: number, part: unknown): unknown {
    return type >= VIEW && part instanceof Uint8Array ? { [marks.BYTES]: toBase64(part) } : this.of(part);
  }

  /** By index: a class of lists may have an iterator of its own, or a toJSON. */
  #items(list: readonly unknown[]): unknown[] {
    const items: unknown[] = [];
    for (let index = 0; index < list.length; index++) items.push(this.of(list[index]));
    return items;
  }

  #plain(object: object): object {
    const form = {};
    for (const key of Object.keys(object)) {
      checkLimit('maxStringLength', key.length, this.#limits);
      const value = this.of((object as Record<string, unknown>)[key]);
      const name = key.startsWith(marks.MARK) ? marks.MARK + key : key;
      // As `__proto__` is, of which assigning would run the setter.
      if (name in Object.prototype) ownProperty(form, name, value);
      else (form as Record<string, unknown>)[name] = value;
    }
    return form;
  }
}
