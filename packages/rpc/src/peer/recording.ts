import { CloneError } from '@lumenize/structured-clone/messages';
import { exceeded, type RpcError, refusal } from '../errors.ts';
import { Call } from './call.ts';
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

/**
 * Members that the language asks for when code awaits, converts or iterates over a value. A recording cannot know the
 * result; the texts complete the error messages.
 */
const MISUSES: ReadonlyMap<string | symbol, string> = new Map<string | symbol, string>([
  ['then', 'be awaited'],
  ['catch', 'be awaited'],
  ['finally', 'be awaited'],
  ['toJSON', 'be turned into text'],
  [Symbol.toPrimitive, 'be calculated with, compared or put into text'],
  [Symbol.iterator, 'be iterated: use its own map() or filter()'],
  [Symbol.asyncIterator, 'be iterated: use its own map() or filter()'],
]);

/** A node of a recording, which has a name for messages. */
interface Named extends Node {
  readonly name: string;
}

/** Writes down what a callback does with a stand-in for an element, as calls of a frame of its own. */
class Recording extends Peer implements Recorder {
  /** The peer that the callback is passed over. */
  declare readonly outer: Peer;
  declare private readonly name: string;
  /** The values that the callback uses from outside. */
  declare readonly captures: object[];
  /** Members that were read and calls that were made, but not used yet, with errors that say where. */
  declare private readonly unused: Map<unknown, TypeError>;
  /** The options of the stub that the callback is passed to. */
  declare private readonly options: CallOptions | undefined;
  declare private isEnded: boolean;

  constructor(outer: Peer, name: string, options: CallOptions | undefined) {
    super({ ...outer.settings, features: [mapping, { pass: passOutside }] }, undefined);
    this.outer = outer;
    this.name = name;
    this.options = options;
    this.captures = [];
    this.unused = new Map();
    this.isEnded = false;
  }

  /**
   * Runs the callback, and returns the texts of its frame and of its result.
   * @throws {TypeError} if it does something that cannot be recorded
   */
  textOf(callback: (element: object, key: object) => unknown): string {
    const outer = recordBy(this);
    try {
      const result = callback(this.standIn(undefined, 'element'), this.standIn(new Place('["c",0]', 0), 'key'));
      if (result instanceof Promise && nodeOf(result) === undefined) {
        result.catch(() => {}); // the callback is refused anyway, so its own failure does not matter
        throw new TypeError(`the callback of ${this.name}() is async, or returns a promise: ${ONCE}, and cannot wait`);
      }
      const writer = new Writer(this);
      const form = writer.write([result]);
      if (writer.waits !== undefined) throw unreadable();
      for (const error of this.unused.values()) throw error;
      const { writing: frame } = this;
      if ((frame?.tail ?? writer.tail).length > 0)
        throw new TypeError(`bytes cannot be part of the callback of ${this.name}()`);
      return `[${frame === undefined ? '[1]' : `${frame.text}]]`},${form}]`;
    } catch (error) {
      if (error instanceof CloneError) {
        throw refusal('NOT_CLONEABLE', error.message.replace('at value[0]', "at the callback's result"));
      }
      throw error;
    } finally {
      this.isEnded = true;
      recordBy(outer);
    }
  }

  record(node: Node, args: unknown[]): object {
    const { base, path, options, peer } = node;
    const name = `${nameOf(node)}()`;
    peer.used?.(node);
    if (options !== undefined && options !== this.options) {
      throw new TypeError(`${name} has options of its own: give them to the stub that ${this.name}() is called on`);
    }
    const place = peer === this ? base : new Place(`["c",${this.capture(stubOf(peer, base), name)}]`, 0);
    const call = this.make({ peer: this, base: place, path, options: undefined }, args);
    if (call.frame === undefined) throw unreadable();
    if (this.name === 'filter') {
      this.unused.set(
        call,
        new TypeError(
          `the result of ${name} is used for nothing: ${this.cannotKnow}; for two conditions call filter() twice`,
        ),
      );
    }
    return this.standIn(call, name);
  }

  private get cannotKnow(): string {
    return `${ONCE}, and ${this.name}() cannot know what it branches on or calculates`;
  }

  /** Creates what stands for a value that is not known yet. */
  private standIn(base: Base, name: string, path = ''): object {
    const node: Named = { peer: this, base, path, options: undefined, name };
    const refuse = (use: string) => () => {
      throw this.misuse(node, use);
    };
    const requireOpen = () => {
      if (this.isEnded) throw this.misuse(node, 'be used when the callback has returned');
    };
    return new Proxy(MEMBER, {
      apply: (_kind, _this, args) => {
        requireOpen();
        // In a callback inside of this one, the inner recording has the call.
        return recorder!.record(node, args);
      },
      get: (_kind, key) => {
        requireOpen();
        if (key === NODE) return node;
        const misuse = MISUSES.get(key);
        if (misuse !== undefined) throw this.misuse(node, misuse);
        if (typeof key !== 'string') return undefined;
        this.used(node);
        const member = this.standIn(base, name, `${path},${JSON.stringify(key)}`);
        const read = nodeOf(member)!;
        this.unused.set(
          read,
          new TypeError(
            `${describe(read)} was read here and used for nothing: ${this.cannotKnow}; use filter(), or do it on the server`,
          ),
        );
        return member;
      },
      has: refuse('be searched for keys'),
      ownKeys: refuse('be spread, or searched for keys'),
      set: refuse('be changed'),
      defineProperty: refuse('be changed'),
      deleteProperty: refuse('be changed'),
    });
  }

  /** Returns the number of something from outside that the callback uses. */
  private capture(value: object, name: string): number {
    const node = nodeOf(value);
    if (node !== undefined && !this.isWithin(node.peer)) {
      throw new TypeError(`${name} is of another connection: ${ONCE}, for the server that it is called on`);
    }
    const known = this.captures.findIndex((each) => {
      const of = nodeOf(each);
      return each === value || (of && of.peer === node?.peer && of.base === node.base && of.path === node.path);
    });
    return (known < 0 ? this.captures.push(value) - 1 : known) + 1; // 0 is the key
  }

  /** Returns true for the peer that the callback is passed over, and for recordings around this one. */
  private isWithin(peer: Peer): boolean {
    return peer === this.outer || (this.outer instanceof Recording && this.outer.isWithin(peer));
  }

  /** Notes that a member that was read is used, or any part of a call's result. */
  override used(node: Node): void {
    this.unused.delete(node);
    this.unused.delete(node.base);
  }

  override captured(value: object): unknown {
    const node = nodeOf(value);
    return ['c', this.capture(value, node === undefined ? '' : nameOf(node))];
  }

  misuse(node: Node, use: string): TypeError {
    return new TypeError(`${describe(node)} cannot ${use}: ${ONCE}, with stand-ins; do it on the server`);
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

/** Returns the name of a node, for messages. */
function describe(node: Node): string {
  return [(node as Partial<Named>).name ?? 'stub', ...namesOf(node.path)].join('.');
}

function unreadable(): RpcError {
  const message =
    'a Blob, File, Request or Response cannot be part of a callback, nor a promise: use a result that holds it';
  return refusal('NOT_CLONEABLE', message);
}

/** Passes the callback of `map` or `filter` as a recording. */
function pass(value: object, writer: Writer): Mark | undefined {
  const { peer, node } = writer;
  if (typeof value !== 'function' || node === undefined || nodeOf(value) !== undefined) return undefined;
  const { base, path } = node;
  if (!/,"(map|filter)"$/.test(path)) return undefined;
  // A target may have a method of that name.
  if (!(base instanceof Call || path.indexOf(',', 1) > 0 || peer instanceof Recording)) return undefined;
  const recording = new Recording(peer, nameOf(node), node.options);
  if ((writer.recorded ?? value) !== value) return undefined;
  writer.recorded = value;
  writer.isRecording = true;
  const text = recording.textOf(value as (element: object, key: object) => unknown);
  writer.isRecording = false;
  const parts = [text, ...recording.captures];
  return { name: 'callback', parts };
}

/** Captures what is passed by reference: it belongs to the connection around the recording. */
function passOutside(value: object, writer: Writer): Mark | undefined {
  const recording = writer.peer as Recording;
  if (nodeOf(value)?.peer === recording) return { name: 'yours', parts: [0] };
  const probe = new Writer(recording.outer);
  for (const feature of recording.outer.settings.features) {
    if (feature.pass?.(value, probe) === undefined) continue;
    if (probe.waits !== undefined) throw unreadable();
    return writer.at(recording.captured(value));
  }
  return undefined;
}

/** Runs `map` or `filter` of a collection that has arrived by now. */
function here(value: unknown, name: string | undefined, [callback, options]: unknown[]): unknown {
  const isOurs = (name === 'map' || name === 'filter') && typeof callback === 'function';
  return isOurs && Object(value)[Symbol.iterator] !== undefined
    ? runHere(value, name!, callback as never, options)
    : undefined;
}

async function runHere(
  value: unknown,
  name: string,
  callback: (item: unknown, key: unknown) => unknown,
  options: unknown,
): Promise<unknown> {
  const entries = value instanceof Map ? [...value] : Array.from(value as Iterable<unknown>, (item, at) => [at, item]);
  const results = entries.map(async ([key, item]) => callback(item, key));
  const settled = await ((options as { settle?: unknown } | undefined)?.settle
    ? Promise.allSettled(results)
    : Promise.all(results));
  const kept = name === 'map' ? entries.map(([key], at) => [key, settled[at]]) : entries.filter((_, at) => settled[at]);
  return value instanceof Map ? new Map(kept as [unknown, unknown][]) : kept.map(([, item]) => item);
}

/** Records the callbacks of `map` and `filter`, which run where the elements are. */
export const mapping: Feature = { pass, here };
