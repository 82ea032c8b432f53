import { CloneError, malformed, notAccepted } from './clone-error.ts';
import { Counts, type Limits } from './limits.ts';
import type { Types } from './types/types.ts';

/** How to read one value. */
export interface Reading {
  /** The types supported besides plain data. */
  readonly types: Pick<Types, 'make' | 'codecOf'>;
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
  return new Reader(reading).of(tree);
}

type Tree = Record<string, unknown>;
const same = <T>(value: T): T => value;

/** Turns a tree of parsed JSON into a value, in place where possible. */
export class Reader extends Counts {
  readonly #reading: Reading;
  /** The objects of the value by number. A hole stands for an object that cannot be made yet. */
  readonly #objects: unknown[] = [];

  constructor(reading: Reading) {
    super(reading.limits);
    this.#reading = reading;
  }

  /** Returns the value of a tree. */
  of(tree: unknown): unknown {
    if (typeof tree !== 'object' || tree === null) return tree;
    // Marks without a number, such as that of undefined, are not counted and are no level.
    this.depth++;
    let value: unknown;
    if (Array.isArray(tree)) {
      this.count(1);
      value = this.list(this.add(tree));
    } else {
      const keys = Object.keys(tree);
      value =
        keys.length === 1 && keys[0][0] === '$' ? this.#mark(keys[0], tree as Tree) : this.#fields(tree as Tree, keys);
    }
    this.depth--;
    return value;
  }

  /** Gives an object the next number. */
  add<T>(object: T): T {
    this.#objects.push(object);
    return object;
  }

  /** Replaces the items of a list by their values. */
  list(tree: unknown[]): unknown[] {
    for (let at = 0; at < tree.length; at++) {
      const item = tree[at];
      if (typeof item === 'object' && item !== null) tree[at] = this.of(item);
    }
    return tree;
  }

  /** Like `list`, for parts of an instance that cannot be made before them, and which may be bytes. */
  parts(tree: unknown[]): unknown[] {
    // Reserves the number.
    this.#objects.length++;
    for (let at = 0; at < tree.length; at++) {
      const item = tree[at] as Tree | null;
      if (typeof item !== 'object' || item === null) continue;
      const keys = Object.keys(item);
      if (keys.length === 1 && keys[0] === '$bytes') tree[at] = this.#bytes(item.$bytes);
      // A Uint8Array that is an object of the value would be taken for bytes, once for each reference to it.
      else if ((tree[at] = this.of(item)) instanceof Uint8Array) throw malformed('bytes');
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

  #mark(mark: string, tree: Tree): unknown {
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
      case '$':
      case '$null':
        if (typeof content !== 'object' || content === null || Array.isArray(content)) break;
        return this.#fields(mark === '$' ? (content as Tree) : Object.setPrototypeOf(content, null));
      default:
        return this.#instance(mark.slice(1), content);
    }
    throw malformed(mark);
  }

  /** Makes an instance of a type or of a registered class, or revives what was passed by reference. */
  #instance(name: string, content: unknown): unknown {
    const { types, refuse } = this.#reading;
    if (refuse?.includes(name)) throw notAccepted(name);
    if (!Array.isArray(content)) throw malformed(name);
    const number = this.#objects.length;
    this.count(1);
    let made: unknown;
    // Names of classes begin with capital letters.
    if (name < 'a') {
      try {
        made = types.make(name, content, this);
      } catch (error) {
        throw error instanceof CloneError ? error : malformed(name);
      }
      if (!made) throw malformed(`type ${name} is unknown`);
    } else {
      const isClass = name === 'class' && types.codecOf;
      if (!isClass && !this.#reading.revive) throw malformed(`type ${name} is unknown`);
      this.#objects.length++;
      const parts = this.list(content);
      made = isClass ? this.#decode(parts) : this.#reading.revive!(name, parts, same);
    }
    this.#objects[number] = made;
    return made;
  }

  #decode([name, payload]: unknown[]): unknown {
    const { types, refuse } = this.#reading;
    if (typeof name !== 'string') throw malformed('class');
    const codec = types.codecOf?.(name);
    if (!codec) throw notAccepted(`class ${name}`, 'it is not registered');
    if (refuse?.includes(name)) throw notAccepted(`class ${name}`);
    return codec.decode(payload);
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
