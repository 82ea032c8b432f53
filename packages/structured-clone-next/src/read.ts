import { CloneError, malformed, notAccepted } from './clone-error.ts';
import { Counts, type Limits } from './limits.ts';
import type { Types } from './types/types.ts';

/** How to read one value. */
export interface Reading {
  /** The types supported besides plain data. */
  readonly types: Pick<Types, 'weigh' | 'empty' | 'make' | 'decode'>;
  readonly limits: Readonly<Limits>;
  /** The bytes behind the text. */
  readonly tail?: Uint8Array | undefined;
  /** The index in `tail` of the bytes of the value. Reading moves it behind them. */
  at: number;
  /** Decodes bytes that are in the text. Used if there is no tail. */
  readonly base64?: ((text: string) => Uint8Array) | undefined;
  /** Names of types and registered classes to refuse. */
  readonly refuse?: readonly string[] | undefined;
  /**
   * Makes the value of a mark whose name is none of a type. Errors that it throws pass through. The parts are values
   * already, so `read` returns what it is given.
   */
  readonly revive?: ((name: string, parts: unknown[], read: (part: unknown) => unknown) => unknown) | undefined;
}

/**
 * Returns the value of a tree of parsed JSON that may hold marks. It is made of the tree itself where possible.
 * @throws {CloneError} if marks are misused or a limit is exceeded
 */
export function read(tree: unknown, reading: Reading): unknown {
  return typeof tree === 'object' && tree !== null ? new Reader(reading).of(tree) : tree;
}

type Tree = Record<string, unknown>;

const same = (part: unknown): unknown => part;

/** Turns a tree of parsed JSON into a value, in place where possible. */
export class Reader extends Counts {
  readonly #reading: Reading;
  /** The objects of the value by number. A hole stands for an object that cannot be made yet. */
  readonly #objects: unknown[] = [];

  constructor(reading: Reading) {
    super(reading.limits);
    this.#reading = reading;
  }

  /** Returns the value of a tree. With `isPart`, it may be bytes. */
  of(tree: object, isPart = false): unknown {
    // Marks without a number, such as that of undefined, are not counted and are no level.
    this.depth++;
    let value: unknown;
    if (Array.isArray(tree)) {
      this.count(1);
      this.#objects.push(tree);
      value = this.#list(tree);
    } else {
      const keys = Object.keys(tree);
      value =
        keys.length === 1 && keys[0][0] === '$'
          ? this.#mark(keys[0], tree as Tree, isPart)
          : this.#fields(tree as Tree, keys);
    }
    this.depth--;
    return value;
  }

  /** Replaces the items of a list by their values. With `areParts`, they may be bytes. */
  #list(tree: unknown[], areParts = false): unknown[] {
    for (let at = 0; at < tree.length; at++) {
      const item = tree[at] as Tree | null;
      if (typeof item !== 'object' || item === null) continue;
      tree[at] = this.of(item, areParts);
      // A Uint8Array that is an object of the value would be taken for bytes, once for each reference to it.
      if (areParts && tree[at] instanceof Uint8Array && item.$bytes === undefined) throw malformed('bytes');
    }
    return tree;
  }

  #fields(tree: Tree, keys = Object.keys(tree)): Tree {
    this.count(1);
    this.#objects.push(tree);
    for (let at = 0; at < keys.length; at++) {
      const item = tree[keys[at]];
      // `JSON.parse` makes `__proto__` an own property, so assigning runs no setter.
      if (typeof item === 'object' && item !== null) tree[keys[at]] = this.of(item);
    }
    return tree;
  }

  #mark(mark: string, tree: Tree, isPart: boolean): unknown {
    const content = tree[mark];
    switch (mark) {
      case '$undefined':
        return undefined;
      case '$number':
        if (typeof content === 'string' && /^(NaN|-?Infinity|-0)$/.test(content)) return Number(content);
        break;
      case '$bigint':
        if (typeof content !== 'string') break;
        this.checkDigits(content);
        if (/^-?\d+$/.test(content)) return BigInt(content);
        break;
      case '$reference':
        if (typeof content === 'number' && Object.hasOwn(this.#objects, content)) return this.#objects[content];
        break;
      case '$bytes':
        if (isPart) return this.#bytes(content);
        break;
      case '$':
      case '$null':
        if (typeof content !== 'object' || content === null || Array.isArray(content)) break;
        return this.#fields(mark === '$' ? (content as Tree) : Object.setPrototypeOf(content, null));
      default:
        return this.#instance(mark.slice(1), content);
    }
    throw malformed(mark);
  }

  /** Makes an instance of a type, or revives what was passed by reference. */
  #instance(name: string, content: unknown): unknown {
    const reading = this.#reading;
    const { types, refuse } = reading;
    if (!Array.isArray(content)) throw malformed(name);
    if (refuse?.includes(name)) throw notAccepted(name);
    this.count(types.weigh(name));
    const isClass = name === 'class' && types.decode;
    const isOpen = isClass || (name >= 'a' && reading.revive);
    const empty = types.empty(name);
    const number = this.#objects.length++;
    if (empty) this.#objects[number] = empty;
    this.#list(content, !isOpen && !empty);
    let made: unknown;
    if (isClass) made = isClass(content, refuse);
    else if (isOpen) made = reading.revive!(name, content, same);
    else {
      try {
        made = types.make(name, content, this, empty);
      } catch (error) {
        throw error instanceof CloneError ? error : malformed(name);
      }
      if (!made) throw malformed(`type ${name} is unknown`);
    }
    this.#objects[number] = made;
    return made;
  }

  /** Returns bytes in memory of their own. */
  #bytes(content: unknown): Uint8Array {
    const { tail, base64, at } = this.#reading;
    if (base64 && typeof content === 'string') return base64(content);
    const end = at + (content as number);
    if (!tail || !Number.isInteger(content) || !(end >= at && end <= tail.length)) throw malformed('bytes');
    this.#reading.at = end;
    return new Uint8Array(tail.subarray(at, end));
  }
}
