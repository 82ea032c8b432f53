import { brandOf, ERROR_FIELDS, objectsIn } from './parts.ts';

/** What two graphs may differ in. */
export interface SameGraphOptions {
  /**
   * `shown`: a view whose buffer nothing else in the first graph uses has its bytes alone in the second, as
   * `docs/decisions/0008` decides, unless it may grow with its buffer. `whole`: it has its whole buffer, as native
   * `structuredClone` gives it.
   */
  readonly buffers?: 'shown' | 'whole';
  /** Whether stacks of errors are compared too. */
  readonly stacks?: boolean;
}

/** How a place is reached from the root; only put together where there is something to say about it. */
interface Place {
  readonly before?: Place;
  readonly step: string;
}

/**
 * Compares two values as graphs: what they are, prototypes, own properties with their order and holes, contents, and
 * which places hold the same object. Returns where they first differ and in what, nearest to the root; else undefined.
 *
 * Of errors `name` is compared as it reads and not where it is kept, since one that a class gives arrives as a property
 * of the error's own.
 */
export function sameGraph(first: unknown, second: unknown, options: SameGraphOptions = {}): string | undefined {
  return new Comparison(first, options).of(second);
}

class Comparison {
  readonly #root: unknown;
  readonly #options: SameGraphOptions;
  /** Each object of one graph with its fellow of the other. */
  readonly #seconds = new Map<object, object>();
  readonly #firsts = new Map<object, object>();
  readonly #pairs: [first: unknown, second: unknown, place: Place][] = [];
  #uses: Map<ArrayBufferLike, number> | undefined;
  #place: Place = { step: 'value' };
  #difference: string | undefined;

  constructor(root: unknown, options: SameGraphOptions) {
    this.#root = root;
    this.#options = options;
  }

  of(second: unknown): string | undefined {
    this.#pairs.push([this.#root, second, this.#place]);
    // The list grows while it is gone through.
    for (const [a, b, place] of this.#pairs) {
      this.#place = place;
      this.#pair(a, b);
      if (this.#difference !== undefined) return this.#difference;
    }
    return undefined;
  }

  #pair(a: unknown, b: unknown): void {
    if (!isObject(a) || !isObject(b)) return this.#equal('value', a, b);
    const known = this.#seconds.get(a) ?? b;
    if (known !== b || (this.#firsts.get(b) ?? a) !== a) return this.#differ('it is another object');
    if (this.#firsts.has(b)) return;
    this.#seconds.set(a, b);
    this.#firsts.set(b, a);
    this.#equal('brand', brandOf(a), brandOf(b));
    if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) this.#differ('its prototype');
    if (this.#difference === undefined) this.#contents(a, b);
  }

  #contents(a: object, b: object): void {
    if (ArrayBuffer.isView(a)) return this.#views(a, b as ArrayBufferView);
    switch (brandOf(a)) {
      case 'Map':
        this.#collections(a as Map<unknown, unknown>, b as Map<unknown, unknown>);
        break;
      case 'Set':
        this.#collections(a as Set<unknown>, b as Set<unknown>);
        break;
      case 'Error':
        return this.#errors(a as Error, b as Error);
      case 'ArrayBuffer':
        return this.#buffers(a as ArrayBuffer, b as ArrayBuffer);
      case 'URL':
        return this.#equal('href', (a as URL).href, (b as URL).href);
      case 'URLSearchParams':
        return this.#equal('text', `${a}`, `${b}`);
      case 'Headers':
        return this.#equal('entries', entriesOf(a as Headers), entriesOf(b as Headers));
      case 'DOMException':
        for (const key of ['name', 'message', 'code'] as const) this.#fields(a as DOMException, b as DOMException, key);
        return;
      default:
        // The text of a RegExp, the time of a date, what is in a box.
        this.#scalars(a, b);
    }
    this.#properties(a, b);
  }

  #scalars(a: object, b: object): void {
    if (a instanceof Date) this.#equal('time', a.getTime(), (b as Date).getTime());
    else if (a instanceof RegExp) this.#equal('pattern', `${a}`, `${b}`);
    else if (/^(Number|String|Boolean|BigInt|Symbol)$/.test(brandOf(a)))
      this.#equal('content', a.valueOf(), b.valueOf());
  }

  #collections(a: Map<unknown, unknown> | Set<unknown>, b: Map<unknown, unknown> | Set<unknown>): void {
    this.#equal('size', a.size, b.size);
    if (a instanceof Map) this.#lists(a.keys(), (b as Map<unknown, unknown>).keys(), 'keys');
    this.#lists(a.values(), b.values(), 'values');
  }

  #lists(a: Iterable<unknown>, b: Iterable<unknown>, name: string): void {
    const seconds = [...b];
    let index = 0;
    for (const item of a) this.#next(`.${name}()[${index}]`, item, seconds[index++]);
  }

  #errors(a: Error, b: Error): void {
    // Anything can be assigned to these.
    for (const key of ['name', 'message'] as const) this.#next(`.${key}`, a[key], b[key]);
    if (this.#options.stacks) this.#next('.stack', a.stack, b.stack);
    this.#equal('having a message', Object.hasOwn(a, 'message'), Object.hasOwn(b, 'message'));
    for (const key of ['cause', 'errors', 'error', 'suppressed']) {
      this.#equal(`having ${key}`, Object.hasOwn(a, key), Object.hasOwn(b, key));
      this.#next(`.${key}`, a[key as keyof Error], b[key as keyof Error]);
    }
    const others = (error: Error) => Object.keys(error).filter((key) => !ERROR_FIELDS.includes(key));
    this.#properties(a, b, others(a), others(b));
  }

  #buffers(a: ArrayBuffer, b: ArrayBuffer): void {
    this.#equal('maximum length', roomOf(a), roomOf(b));
    this.#bytes(new Uint8Array(a), new Uint8Array(b));
  }

  #views(a: ArrayBufferView, b: ArrayBufferView): void {
    this.#equal('length', lengthOf(a), lengthOf(b));
    const canTrack = reachesEnd(a);
    if (this.#options.buffers !== 'whole' && this.#usesOf(a.buffer) === 1 && !canTrack) {
      this.#bytes(bytesOf(a), bytesOf(b));
      this.#equal('offset', 0, b.byteOffset);
      return this.#equal('length of its buffer', a.byteLength, b.buffer.byteLength);
    }
    this.#equal('offset', a.byteOffset, b.byteOffset);
    // Nothing tells the codec whether a view to the end of its buffer tracks that: it is taken to.
    if (!canTrack || isTracking(a)) this.#equal('tracking of the length', isTracking(a), isTracking(b));
    this.#next('.buffer', a.buffer, b.buffer);
  }

  #bytes(a: Uint8Array, b: Uint8Array): void {
    this.#equal('length', a.length, b.length);
    const at = a.findIndex((byte, index) => byte !== b[index]);
    if (at >= 0) this.#equal(`byte ${at}`, a[at], b[at]);
  }

  /** How many objects of the first graph use a buffer. */
  #usesOf(buffer: ArrayBufferLike): number {
    if (this.#uses === undefined) {
      this.#uses = new Map();
      for (const object of objectsIn(this.#root)) {
        const used = ArrayBuffer.isView(object) ? object.buffer : object;
        this.#uses.set(used as ArrayBuffer, (this.#uses.get(used as ArrayBuffer) ?? 0) + 1);
      }
    }
    return this.#uses.get(buffer)!;
  }

  #properties(a: object, b: object, keysOfA = Reflect.ownKeys(a), keysOfB = Reflect.ownKeys(b)): void {
    this.#equal('keys', keysOfA.map(String).join(), keysOfB.map(String).join());
    if (this.#difference !== undefined) return;
    for (const key of keysOfA) {
      const { value: valueOfA, ...flagsOfA } = Object.getOwnPropertyDescriptor(a, key)!;
      const { value: valueOfB, ...flagsOfB } = Object.getOwnPropertyDescriptor(b, key)!;
      const step = typeof key === 'symbol' ? `[${String(key)}]` : `[${JSON.stringify(key)}]`;
      this.#equal(`flags of ${step}`, JSON.stringify(flagsOfA), JSON.stringify(flagsOfB));
      this.#next(step, valueOfA, valueOfB);
    }
  }

  #fields<Key extends string>(a: { [key in Key]?: unknown }, b: { [key in Key]?: unknown }, key: Key): void {
    this.#equal(key, a[key], b[key]);
  }

  #next(step: string, a: unknown, b: unknown): void {
    this.#pairs.push([a, b, { before: this.#place, step }]);
  }

  #equal(what: string, a: unknown, b: unknown): void {
    if (!Object.is(a, b)) this.#differ(`its ${what}, ${shortly(a)}, became ${shortly(b)}`);
  }

  #differ(what: string): void {
    if (this.#difference !== undefined) return;
    let path = '';
    for (let place: Place | undefined = this.#place; place !== undefined; place = place.before)
      path = place.step + path;
    this.#difference = `${path}: ${what}`;
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function lengthOf(view: ArrayBufferView): number {
  return (view as Uint8Array).length ?? view.byteLength;
}

/** What a resizable buffer may grow to; undefined for one that cannot. */
function roomOf(buffer: ArrayBuffer): number | undefined {
  const { resizable, maxByteLength } = buffer as ArrayBuffer & { resizable?: boolean; maxByteLength?: number };
  return resizable ? maxByteLength : undefined;
}

/** Whether a view shows all from its offset on of a buffer that can grow, and so may grow with it. */
function reachesEnd(view: ArrayBufferView): boolean {
  const { buffer, byteOffset, byteLength } = view;
  const size = (view as Uint8Array).BYTES_PER_ELEMENT ?? 1;
  return roomOf(buffer as ArrayBuffer) !== undefined && buffer.byteLength - byteOffset - byteLength < size;
}

/** Whether a view grows with its buffer, which only growing the buffer shows: it is put back as it was. */
function isTracking(view: ArrayBufferView): boolean {
  const buffer = view.buffer as ArrayBuffer & { resize(length: number): void };
  const room = roomOf(buffer);
  if (room === undefined) return false;
  const { byteLength } = buffer;
  const before = view.byteLength;
  // One element more of any class; where there is no room, it makes no difference.
  if (byteLength + 8 > room) return false;
  buffer.resize(byteLength + 8);
  const tracks = view.byteLength !== before;
  buffer.resize(byteLength);
  return tracks;
}

function entriesOf(headers: Headers): string {
  return [...headers].map(([name, value]) => `${name}: ${value}`).join('\n');
}

/** Writes a value for a message. */
function shortly(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (isObject(value)) return brandOf(value);
  return Object.is(value, -0) ? '-0' : String(value);
}
