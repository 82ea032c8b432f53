import { limitExceeded, malformed, notAccepted } from '../clone-error.ts';
import {
  checkLimit,
  countHoles,
  type Limits,
  MAX_NESTED,
  MAX_RECURSION,
  parseBigInt,
  resolveLimits,
  weightOf,
} from '../limits.ts';
import type { DecodeOptions } from '../options.ts';
import { ownProperty } from '../own-property.ts';
import { revive } from '../revive.ts';
import { attempt, COMMON, isCommon, makeEmpty, type PutTogether } from '../types/put-together.ts';
import { RARE } from '../types/put-together-rare.ts';
import { TYPE_NAMES, type TypeName, VIEW } from '../types/type-names.ts';
import { fromBase64 } from './base64.ts';
import * as marks from './marks.ts';

const NUMBERS = new Map<unknown, number>([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['-0', -0],
]);

/**
 * Reads what `stringify` wrote; plain JSON reads as what it says.
 * @throws {CloneError} where the text is not JSON, marks are misused, or a limit is passed
 */
export function parse(text: string, options?: DecodeOptions): unknown {
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    throw malformed('it is not JSON');
  }
  return new TextValue(options ?? {}).whole(tree);
}

type Fields = Record<string, unknown>;

/** Turns the tree that JSON gave into the value it stands for, in place where it can. */
class TextValue {
  readonly #limits: Readonly<Limits>;
  readonly #options: DecodeOptions;
  /** By identity number; undefined while one cannot be made yet. */
  readonly #objects: unknown[] = [];
  /** How many they count as. */
  #weight = 0;
  #holes = 0;
  #depth = 0;
  /** The depth at which the recursion began: what is nested deeper in it than `MAX_NESTED` waits. */
  #base = 0;
  #later: { depth: number; read: () => void }[] = [];
  /** The containers that the writer wrote behind the value, and how many of them are read. */
  #behind: readonly unknown[] = [];
  #next = 0;

  constructor(options: DecodeOptions) {
    this.#limits = resolveLimits(options.limits);
    this.#options = options;
  }

  /** Reads a value with all that had to wait in it. */
  whole(tree: unknown): unknown {
    const outer = { later: this.#later, depth: this.#depth, base: this.#base, behind: this.#behind, next: this.#next };
    this.#later = [];
    this.#next = 1;
    const isMarked = Object(tree) === tree && Object.hasOwn(tree as Fields, marks.WITH_LATER);
    this.#behind =
      isMarked && Object.keys(tree as Fields).length === 1 ? arrayOf((tree as Fields)[marks.WITH_LATER]) : [tree];
    const value = this.#of(this.#behind[0]);
    // The list grows while it is gone through.
    for (const { depth, read } of this.#later) {
      this.#depth = depth;
      this.#base = depth - outer.depth + outer.base;
      read();
    }
    if (this.#next !== this.#behind.length) throw malformed('a container that nothing leads to');
    this.#later = outer.later;
    this.#depth = outer.depth;
    this.#base = outer.base;
    this.#behind = outer.behind;
    this.#next = outer.next;
    return value;
  }

  #of(tree: unknown): unknown {
    if (typeof tree === 'string') checkLimit('maxStringLength', tree.length, this.#limits);
    if (typeof tree !== 'object' || tree === null) return tree;
    this.#depth++;
    const value = Array.isArray(tree) ? this.#array(tree) : this.#object(tree as Fields);
    this.#depth--;
    return value;
  }

  /** Gives an object the next identity number. What has none, such as undefined, is no level of its own. */
  #identify<T>(object: T): T {
    if (this.#depth > this.#limits.maxDepth) throw limitExceeded('maxDepth', this.#limits);
    this.#objects.push(object);
    if (++this.#weight > this.#limits.maxObjects) throw limitExceeded('maxObjects', this.#limits);
    return object;
  }

  /** Reads what is in a container: now, or where the recursion is deep already, when it has come back. */
  #contents(read: () => void): void {
    if (this.#depth - this.#base > MAX_NESTED) this.#later.push({ depth: this.#depth, read });
    else read();
  }

  #array(tree: unknown[]): unknown[] {
    const array = this.#identify(tree);
    this.#contents(() => {
      for (const [index, item] of tree.entries()) {
        if (typeof item === 'object' || typeof item === 'string') array[index] = this.#of(item);
      }
    });
    return array;
  }

  #object(tree: Fields): unknown {
    const keys = Object.keys(tree);
    const mark = keys.find((key) => key.startsWith(marks.MARK));
    if (mark === undefined) return this.#plain(tree, keys, tree);
    if (mark.startsWith(marks.MARK + marks.MARK)) return this.#plain(tree, keys, {});
    if (keys.length > 1) throw malformed(`a mark, ${mark}, beside other keys`);
    return this.#marked(mark, tree[mark]);
  }

  /** Fills `target`: the tree itself where all its keys are as they were, else a new object, which keeps their order. */
  #plain(tree: Fields, keys: readonly string[], target: object): object {
    this.#identify(target);
    this.#contents(() => {
      for (const key of keys) {
        checkLimit('maxStringLength', key.length, this.#limits);
        const item = tree[key];
        if (target !== tree) ownProperty(target, unescaped(key), this.#of(item));
        else if (typeof item === 'object' || typeof item === 'string') tree[key] = this.#of(item);
      }
    });
    return target;
  }

  #marked(mark: string, content: unknown): unknown {
    switch (mark) {
      case marks.UNDEFINED:
        return undefined;
      case marks.NUMBER: {
        const number = NUMBERS.get(content);
        if (number === undefined) throw malformed('a number that JSON could have said');
        return number;
      }
      case marks.BIGINT: {
        const value = typeof content === 'string' ? parseBigInt(content, this.#limits) : undefined;
        if (value === undefined) throw malformed('a bigint is not a number');
        return value;
      }
      case marks.REFERENCE: {
        const object = Number.isInteger(content) ? this.#objects[content as number] : undefined;
        if (object === undefined) throw malformed('a reference to an object that is not there');
        return object;
      }
      case marks.NULL_PROTOTYPE:
        if (typeof content !== 'object' || content === null || Array.isArray(content)) {
          throw malformed('a prototype of something that is no plain object');
        }
        return this.#plain(content as Fields, Object.keys(content), Object.create(null));
      case marks.LATER:
        return this.#waiting();
      case marks.EXTENSION: {
        const [kind, payload, ...rest] = arrayOf(content);
        if (rest.length > 0) throw malformed('an extension has a kind and a payload');
        return this.#unfinished(() => revive(kind, this.whole(payload), this.#options));
      }
      default:
        return this.#instance(mark.slice(1) as TypeName, arrayOf(content));
    }
  }

  /** Reads the next of the containers behind the value. It stands where the mark stood that it is read for. */
  #waiting(): unknown {
    const tree = this.#behind[this.#next++];
    if (typeof tree !== 'object' || tree === null || Object.hasOwn(tree, marks.LATER)) {
      throw malformed('a container that is not there');
    }
    return Array.isArray(tree) ? this.#array(tree) : this.#object(tree as Fields);
  }

  #instance(name: TypeName, content: unknown[]): unknown {
    const type = TYPE_NAMES.indexOf(name);
    if (type < 0) throw malformed(`type ${name} is unknown`);
    if (this.#options.refuse?.includes(name)) throw notAccepted(name);
    this.#weight += weightOf(type) - 1;
    const types: PutTogether = isCommon(type) ? COMMON : RARE;
    if (type >= VIEW) return this.#unfinished(() => attempt(name, () => this.#record(type, content, types)));
    const made = this.#identify(makeEmpty(type));
    this.#contents(() => {
      const parts = content.map((part) => this.#of(part));
      attempt(name, () => types.fill(type, made, parts, this.#countHoles));
    });
    return made;
  }

  readonly #countHoles = (length: number, parts: number): void => {
    this.#holes += countHoles(length, parts);
    checkLimit('maxHoles', this.#holes, this.#limits);
  };

  /** Makes an instance of its parts, all of which it has to use. */
  #record(type: number, content: readonly unknown[], { make }: PutTogether): object {
    let next = 0;
    const made = make(type, {
      value: () => {
        if (next >= content.length) throw malformed('a part is missing');
        return this.#of(content[next++]);
      },
      bytes: () => {
        const part = content[next++];
        if (part === null) return null;
        const bytes = (part as Fields | undefined)?.[marks.BYTES];
        if (typeof bytes !== 'string') throw malformed('bytes were expected');
        return fromBase64(bytes);
      },
    });
    if (next !== content.length) throw malformed('parts that nothing uses');
    return made;
  }

  /** Reads an object that can only be made when all its parts are there. */
  #unfinished(read: () => unknown): unknown {
    if (this.#depth - this.#base > MAX_RECURSION) throw limitExceeded('maxDepth', this.#limits);
    const number = this.#objects.length;
    this.#identify<unknown>(undefined);
    const made = read();
    this.#objects[number] = made;
    return made;
  }
}

function arrayOf(content: unknown): unknown[] {
  if (!Array.isArray(content)) throw malformed('a list was expected');
  return content;
}

function unescaped(key: string): string {
  if (!key.startsWith(marks.MARK)) return key;
  if (!key.startsWith(marks.MARK + marks.MARK)) throw malformed(`a mark, ${key}, beside other keys`);
  return key.slice(marks.MARK.length);
}
