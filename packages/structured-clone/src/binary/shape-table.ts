import { MAX_SHAPE_KEYS, MAX_SHAPES } from './tags.ts';

/** The keys of a plain object, in order. */
export interface Shape {
  readonly index: number;
  readonly keys: readonly string[];
  /** The shape of the object that came after the last one of this shape. */
  follower: Shape | undefined;
}

/** Remembers the shapes of an encoding, so that the keys of objects that are alike are written once. */
export class ShapeTable {
  #shapes: Shape[] = [];
  #byKeys: Map<string, Shape> | undefined;
  #last: Shape | undefined;

  /** Guesses from what followed the last object's shape before; right for rows, also for rows in rows. */
  guess(object: object): Shape | undefined {
    const last = this.#last;
    if (last === undefined) return undefined;
    const shape = last.follower ?? last;
    const { keys } = shape;
    let index = 0;
    for (const key in object) if (key !== keys[index++]) return undefined;
    if (index !== keys.length) return undefined;
    this.#last = last.follower = shape;
    return shape;
  }

  /** Looks the keys up; undefined where they are new. */
  find(keys: readonly string[]): Shape | undefined {
    const shape = this.#byKeys?.get(keys.join('\0'));
    // Keys may contain the separator.
    if (shape === undefined || !keys.every((key, index) => key === shape.keys[index])) return undefined;
    this.#follow(shape);
    return shape;
  }

  /** Remembers new keys and returns true; false where the object is to be written as a dictionary. */
  add(keys: readonly string[]): boolean {
    if (keys.length > MAX_SHAPE_KEYS || this.#shapes.length === MAX_SHAPES) return false;
    const shape: Shape = { index: this.#shapes.length, keys, follower: undefined };
    this.#shapes.push(shape);
    this.#byKeys ??= new Map();
    this.#byKeys.set(keys.join('\0'), shape);
    this.#follow(shape);
    return true;
  }

  clear(): void {
    if (this.#last === undefined) return;
    this.#shapes = [];
    this.#byKeys = this.#last = undefined;
  }

  mark(): number {
    return this.#shapes.length;
  }

  /** Forgets what was added since the mark. */
  rollback(mark: number): void {
    const kept = this.#shapes.slice(0, mark);
    this.clear();
    for (const shape of kept) this.add(shape.keys);
  }

  #follow(shape: Shape): void {
    if (this.#last !== undefined) this.#last.follower = shape;
    this.#last = shape;
  }
}
