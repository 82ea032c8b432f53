import { limitExceeded, located, notCloneable } from '../clone-error.ts';
import { formatBigInt, type Limits, resolveLimits } from '../limits.ts';
import type { EncodeOptions } from '../options.ts';
import { ownProperty } from '../own-property.ts';
import { type BufferSharing, createBufferSharing } from '../types/buffer-sharing.ts';
import { createIdentities } from '../types/identities.ts';
import { describe, isPlainPrototype } from '../types/plain.ts';
import type { Sink } from '../types/type-handler.ts';
import { typeOf, WRITERS } from '../types/writers.ts';
import { toBase64 } from './base64.ts';
import * as marks from './marks.ts';

/**
 * Writes a value as text: JSON as it is where JSON can say the value, marked objects where it cannot.
 * @throws {CloneError} where the value holds something that cannot be cloned, with the path to it
 */
export function stringify(value: unknown, options: EncodeOptions = {}): string {
  const sharing = createBufferSharing();
  try {
    try {
      return JSON.stringify(new TextForm(options, sharing).of(value));
    } catch (error) {
      if (!sharing.found(error)) throw error;
      return JSON.stringify(new TextForm(options, sharing).of(value));
    }
  } catch (error) {
    throw located(error, value);
  }
}

/** Turns one value into a tree that JSON can say. */
class TextForm implements Sink {
  readonly errorStacks: boolean;
  readonly #extend: EncodeOptions['extend'];
  readonly #limits: Readonly<Limits>;
  readonly #sharing: BufferSharing;
  readonly #identities = createIdentities();
  #depth = 0;
  #holes = 0;
  /** The parts of the instance being written. */
  #parts: unknown[] = [];

  constructor(options: EncodeOptions, sharing: BufferSharing) {
    this.errorStacks = options.errorStacks ?? false;
    this.#extend = options.extend;
    this.#limits = resolveLimits(options.limits);
    this.#sharing = sharing;
  }

  of(value: unknown): unknown {
    switch (typeof value) {
      case 'string':
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

  value(value: unknown): void {
    // The parts are set aside while the value writes parts of its own.
    const parts = this.#parts;
    parts.push(this.of(value));
    this.#parts = parts;
  }

  bytes(bytes: Uint8Array): void {
    this.#parts.push({ [marks.BYTES]: toBase64(bytes) });
  }

  sharesBuffer(buffer: ArrayBufferLike): boolean {
    return this.#sharing.add(buffer);
  }

  #identified(object: object): unknown {
    const known = this.#identities.add(object);
    if (known >= 0) return { [marks.REFERENCE]: known };
    if (typeof object === 'function') return this.#extension(object);
    if (++this.#depth > this.#limits.maxDepth) throw limitExceeded('maxDepth', this.#limits);
    const form = Array.isArray(object) ? this.#array(object) : this.#object(object);
    this.#depth--;
    return form;
  }

  #array(array: readonly unknown[]): unknown[] {
    const form: unknown[] = [];
    let run = 0;
    for (let index = 0; index < array.length; index++) {
      if (array[index] === undefined && !(index in array)) {
        if (++this.#holes > this.#limits.maxHoles) throw limitExceeded('maxHoles', this.#limits);
        run++;
        continue;
      }
      if (run > 0) form.push({ [marks.HOLES]: run });
      run = 0;
      form.push(this.of(array[index]));
    }
    if (run > 0) form.push({ [marks.HOLES]: run });
    return form;
  }

  #object(object: object): unknown {
    const prototype = Object.getPrototypeOf(object);
    if (prototype === Object.prototype) return this.#plain(object);
    if (prototype === null) return { [marks.NULL_PROTOTYPE]: this.#plain(object) };
    const name = typeOf(object);
    if (name === undefined) return isPlainPrototype(prototype) ? this.#plain(object) : this.#extension(object);
    this.#parts = [];
    const parts = this.#parts;
    WRITERS[name](object as never, this);
    return { [marks.MARK + name]: parts };
  }

  #plain(object: object): object {
    const form = {};
    for (const key of Object.keys(object)) {
      const value = this.of((object as Record<string, unknown>)[key]);
      const name = key.startsWith(marks.MARK) ? marks.MARK + key : key;
      if (name === '__proto__') ownProperty(form, name, value);
      else (form as Record<string, unknown>)[name] = value;
    }
    return form;
  }

  #extension(value: object): unknown {
    const extension = this.#extend?.(value);
    if (extension === undefined) throw notCloneable(describe(value), value);
    return { [marks.EXTENSION]: [extension.kind, this.of(extension.payload)] };
  }
}
