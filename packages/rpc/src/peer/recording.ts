import { exceeded, type RpcError, refusal, unsendable } from '../errors.ts';
import { Call } from './call.ts';
import { isPlainData } from './members.ts';
import type { CallOptions, Feature, Mark } from './options.ts';
import { Peer } from './peer.ts';
import {
  type Base,
  MEMBER,
  NODE,
  type Node,
  nameOf,
  namesOf,
  nodeOf,
  Place,
  type Recorder,
  recordBy,
  recorder,
  stubOf,
} from './stub.ts';
import { Writer } from './writer.ts';

const ONCE = 'the callback runs once, as a recording';

/** Members that the language asks for when code awaits, converts or iterates over a value. */
const OF_VALUES: readonly (string | symbol)[] = [
  'then',
  'catch',
  'finally',
  'toJSON',
  Symbol.toPrimitive,
  Symbol.iterator,
  Symbol.asyncIterator,
];

/** Writes down what a callback does with a stand-in for an element, as calls of a frame of its own. */
class Recording extends Peer implements Recorder {
  /** The peer that the callback is passed over. */
  declare readonly outer: Peer;
  /** The method that it is passed to, and the options of that. */
  declare private readonly name: string;
  declare private readonly options: CallOptions | undefined;
  /** The values that the callback uses from outside. */
  declare readonly captures: object[];
  /** Members that were read and calls that were made, but not used yet, with errors that say where. */
  declare private readonly unused: Map<unknown, Error>;
  declare private isEnded: boolean;

  constructor(outer: Peer, { options, ...node }: Node) {
    super({ ...outer.settings, features: [mapping, { pass: passOutside }] }, undefined);
    this.outer = outer;
    this.name = nameOf(node);
    this.options = options;
    this.captures = [];
    this.unused = new Map();
    this.isEnded = false;
    this.isReady = true;
  }

  /**
   * Runs the callback, and returns the texts of its frame and of its result.
   * @throws {TypeError} if it does something that cannot be recorded
   */
  textOf(callback: (element: object, key: object) => unknown): string {
    const before = recordBy(this);
    try {
      const result = callback(this.standIn(undefined, 'element'), this.standIn(new Place('["c",0]', 0), 'key'));
      if (result instanceof Promise && nodeOf(result) === undefined) {
        result.catch(() => {}); // the callback is refused anyway, so its own failure does not matter
        throw new TypeError(`the callback of ${this.name}() is async, or returns a promise: ${ONCE}, and cannot wait`);
      }
      const writer = new Writer(this);
      const form = writer.write([result]);
      for (const error of this.unused.values()) throw error;
      const { writing: frame } = this;
      if (writer.waits !== undefined || (frame?.tail ?? writer.tail).length > 0) throw unreadable();
      return `[${frame === undefined ? '[1]' : `${frame.text}]]`},${form}]`;
    } catch (error) {
      throw unsendable(error, '', "at the callback's result");
    } finally {
      this.isEnded = true;
      recordBy(before);
    }
  }

  record(node: Node, args: unknown[]): object {
    const { base, path, options, peer } = node;
    const name = `${nameOf(node)}()`;
    this.used(node);
    if (options !== undefined && options !== this.options) {
      throw new TypeError(`${name} has options of its own: give them to the stub that ${this.name}() is called on`);
    }
    const place = peer === this ? base : new Place(`["c",${this.capture(stubOf(peer, base))}]`, 0);
    const call = this.make({ peer: this, base: place, path, options: undefined }, args);
    if (call.frame === undefined) throw unreadable();
    call.isUsed = true; // an entry of its own: the other side keeps no steps of callbacks
    if (this.name === 'filter') this.note(call, name);
    return this.standIn(call, name);
  }

  /** Creates what stands for a value that is not known yet. */
  private standIn(base: Base, name: string, path = ''): object {
    const node: Node = { peer: this, base, path, options: undefined };
    const refuse = () => {
      throw this.misuse(node, name);
    };
    return new Proxy(MEMBER, {
      // In a callback inside of this one, the inner recording has the call.
      apply: (_kind, _this, args) => (this.isEnded ? refuse() : recorder!.record(node, args)),
      get: (_kind, key) => {
        if (key === NODE) return node;
        if (this.isEnded || OF_VALUES.includes(key)) return refuse();
        if (typeof key !== 'string') return undefined;
        this.used(node);
        const member = this.standIn(base, `${name}.${key}`, `${path},${JSON.stringify(key)}`);
        this.note(nodeOf(member), `${name}.${key}`);
        return member;
      },
      has: refuse,
      ownKeys: refuse,
      set: refuse,
      defineProperty: refuse,
      deleteProperty: refuse,
    });
  }

  /** Notes something that has to be used. */
  private note(key: unknown, name: string): void {
    const why = `${ONCE}, and ${this.name}() cannot know what it branches on or calculates`;
    this.unused.set(key, new TypeError(`${name} was read here and used for nothing: ${why}; do it on the server`));
  }

  /** Returns the number of something from outside that the callback uses. */
  private capture(value: object): number {
    const { peer, base, path } = nodeOf(value) ?? { path: '' };
    if (peer !== undefined && !this.isWithin(peer)) {
      throw new TypeError(`the callback of ${this.name}() uses a stub of another connection`);
    }
    const known = this.captures.findIndex((each) => {
      const of = nodeOf(each);
      return each === value || (of && of.peer === peer && of.base === base && of.path === path);
    });
    return (known < 0 ? this.captures.push(value) - 1 : known) + 1; // 0 is the key
  }

  /** Returns true for the peer that the callback is passed over, and for recordings around this one. */
  private isWithin(peer: Peer): boolean {
    return peer === this.outer || (this.outer instanceof Recording && this.outer.isWithin(peer));
  }

  /** Notes that a member that was read is used, or any part of a call's result. */
  override used(node: Node): void {
    const { unused } = node.peer as Recording;
    unused?.delete(node);
    unused?.delete(node.base);
  }

  override captured(value: object): unknown {
    return ['c', this.capture(value)];
  }

  misuse({ path }: Node, name = ['stub', ...namesOf(path)].join('.')): Error {
    const uses = 'awaited, iterated, changed, searched for keys, calculated with, compared, put into text or kept';
    return new TypeError(`${name} cannot be ${uses}: ${ONCE}, with stand-ins; do it on the server`);
  }

  protected override send(): void {
    if (!this.isEnded) throw exceeded('maxOperationsPerFrame', this.settings.limits);
  }
  override signal(): void {}
  override close(): void {}
  override broken(): void {}
  protected override refusal(): RpcError | undefined {
    return undefined;
  }
}

function unreadable(): RpcError {
  return refusal(
    'NOT_CLONEABLE',
    'bytes, a Blob, File, Request or Response cannot be part of a callback, nor a promise: use a result that holds it',
  );
}

/** Passes the callback of `map` or `filter` as a recording. */
function pass(value: object, writer: Writer): Mark | undefined {
  const { peer, node } = writer;
  if (typeof value !== 'function' || node === undefined || nodeOf(value) !== undefined) return undefined;
  const { base, path } = node;
  if (!/,"(map|filter)"$/.test(path) || (writer.recorded ?? value) !== value) return undefined;
  // A target may have a method of that name.
  if (!(base instanceof Call || path.indexOf(',', 1) > 0 || peer instanceof Recording)) return undefined;
  const recording = new Recording(peer, node);
  writer.recorded = value;
  writer.isRecording = true;
  const text = recording.textOf(value as (element: object, key: object) => unknown);
  writer.isRecording = false;
  return { name: 'callback', parts: [text, ...recording.captures] };
}

/** Captures what is passed by reference: it belongs to the connection around the recording. */
function passOutside(value: object, writer: Writer): Mark | undefined {
  const recording = writer.peer as Recording;
  if (nodeOf(value)?.peer === recording) return { name: 'yours', parts: [0] };
  const probe = new Writer(recording.outer);
  for (const { pass } of recording.outer.settings.features) {
    if (pass?.(value, probe) === undefined) continue;
    if (probe.waits !== undefined) throw unreadable();
    return writer.at(recording.captured(value));
  }
  return undefined;
}

/** Puts the results of calls in their places in data, as where a callback is recorded. */
function settle(data: object, waits: Promise<void>[], seen: Set<object>): void {
  seen.add(data);
  for (const [key, value] of Object.entries(data)) {
    const { base, path } = nodeOf(value) ?? {};
    if (path || base instanceof Call) {
      const wait = async () => void Reflect.set(data, key, await value);
      waits.push(wait());
    } else if (isPlainData(value) && !seen.has(value)) settle(value, waits, seen);
  }
}

/** Runs `map` or `filter` of a collection that has arrived by now. */
function here(value: unknown, name: string | undefined, [callback, options]: unknown[] = []): unknown[] | undefined {
  const isOurs = (name === 'map' || name === 'filter') && typeof callback === 'function';
  return isOurs && Object(value)[Symbol.iterator] ? [runHere(value, name, callback as never, options)] : undefined;
}

async function runHere(
  value: unknown,
  name: string,
  callback: (item: unknown, key: unknown) => unknown,
  options: unknown,
): Promise<unknown> {
  const entries = value instanceof Map ? [...value] : Array.from(value as Iterable<unknown>, (item, at) => [at, item]);
  const results = entries.map(async ([key, item]) => {
    const holder = [await callback(item, key)];
    const waits: Promise<void>[] = [];
    settle(holder, waits, new Set());
    await Promise.all(waits);
    return holder[0];
  });
  const isSettled = (options as { settle?: unknown } | undefined)?.settle;
  const settled = await (isSettled ? Promise.allSettled(results) : Promise.all(results));
  const kept = name === 'map' ? entries.map(([key], at) => [key, settled[at]]) : entries.filter((_, at) => settled[at]);
  return value instanceof Map ? new Map(kept as [unknown, unknown][]) : kept.map(([, item]) => item);
}

/** Records the callbacks of `map` and `filter`, which run where the elements are. */
export const mapping: Feature = { pass, here };
