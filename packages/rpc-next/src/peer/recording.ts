import type { RpcError } from '../errors.ts';
import { Call, type Frame, REJECTED } from './call.ts';
import { callbackOf } from './map.ts';
import type { Feature, Mark, Settings } from './options.ts';
import { Peer } from './peer.ts';
import { type Node, nameOf, nodeOf, Place, type Recorder, recordBy, resultStub, standIn, stubOf } from './stub.ts';
import { Writer } from './writer.ts';

const ONCE = 'the callback runs once, as a recording';

/** Writes down what a callback does with a stand-in for an element, as calls of a frame of its own. */
class Recording extends Peer implements Recorder {
  /** The peer that the callback is passed over. */
  declare readonly outer: Peer;
  declare private readonly name: string;
  /** What the callback uses from outside. */
  declare readonly captures: object[];
  /** Members that were read and not used yet, with errors that say where. */
  declare private readonly unused: Map<Node, TypeError>;

  constructor(outer: Peer, name: string, settings: Settings) {
    super(settings, undefined);
    this.outer = outer;
    this.name = name;
    this.captures = [];
    this.unused = new Map();
  }

  /**
   * Runs the callback, and returns the texts of its frame and of its result.
   * @throws {TypeError} if it does something that cannot be recorded
   */
  textOf(callback: (element: object, key: object) => unknown): string {
    const outer = recordBy(this);
    try {
      const element = standIn(this, undefined);
      const key = standIn(this, new Place('["c",0]', 0));
      const result = callback(element, key);
      if (result instanceof Promise && nodeOf(result) === undefined) {
        result.catch(() => {}); // the callback is refused anyway, so its own failure does not matter
        throw new TypeError(`the callback of ${this.name}() is async, or returns a promise: ${ONCE}, and cannot wait`);
      }
      const writer = new Writer(this);
      const form = writer.write([result]);
      for (const error of this.unused.values()) throw error;
      const { writing: frame } = this;
      if ((frame?.tail ?? writer.tail).length > 0)
        throw new TypeError(`bytes cannot be part of the callback of ${this.name}()`);
      this.writing = undefined;
      return `[${frame === undefined ? '[1]' : `${frame.text}]]`},${form}]`;
    } finally {
      recordBy(outer);
    }
  }

  record(node: Node, args: unknown[]): object {
    this.used(node);
    const { base, path, options } = node;
    if (options !== undefined) {
      throw new TypeError(
        `${nameOf(node)}() has options of its own: give them to the stub that ${this.name}() is called on`,
      );
    }
    if (node.peer === this) return this.result(this.op(node, args));
    const captured = this.capture(stubOf(node.peer, base));
    return this.result(
      this.op({ peer: this, base: new Place(`["c",${captured}]`, 0), path, options: undefined }, args),
    );
  }

  /** Returns what stands for the result of a recorded call, which fails at once if it cannot be recorded. */
  private result(call: Call): object {
    if (call.state === REJECTED) throw call.value;
    return resultStub(this, call);
  }

  /** Returns the number of something from outside that the callback uses. */
  private capture(stub: object): number {
    const node = nodeOf(stub)!;
    if (!this.isWithin(node.peer)) {
      throw new TypeError(`${nameOf(node)} is of another connection: ${ONCE}, for the server that it is called on`);
    }
    const known = this.captures.findIndex((each) => {
      const { peer, base, path } = nodeOf(each)!;
      return peer === node.peer && base === node.base && path === node.path;
    });
    return (known < 0 ? this.captures.push(stub) - 1 : known) + 1; // 0 is the key
  }

  /** Returns true for the peer that the callback is passed over, and for recordings around this one. */
  private isWithin(peer: Peer): boolean {
    return peer === this.outer || (this.outer instanceof Recording && this.outer.isWithin(peer));
  }

  /** Notes that a member was read. It has to be used for something. */
  read(node: Node, from: Node): void {
    this.used(from);
    const what = `${nameOf(node)} was read and is used for nothing: ${ONCE}, and ${this.name}() cannot know what it branches on or calculates`;
    if (node.peer === this) this.unused.set(node, new TypeError(what));
  }

  override used(node: Node): void {
    this.unused.delete(node);
  }

  override captured(stub: object): unknown {
    return ['c', this.capture(stub)];
  }

  misuse(node: Node, use: string): Error {
    return new TypeError(
      `${nameOf(node)} cannot ${use} in the callback of ${this.name}(): ${ONCE}, and does not know the value`,
    );
  }

  protected override send(_frame: Frame): void {}
  override signal(): void {}
  override close(): void {}
  override broken(): void {}
  protected override refusal(): RpcError | undefined {
    return undefined;
  }
}

/** Passes the callback of `map` or `filter` as a recording. */
function pass(value: object, writer: Writer): Mark | undefined {
  const { peer, node } = writer;
  if (typeof value !== 'function' || node === undefined || nodeOf(value) !== undefined) return undefined;
  const { base, path } = node;
  if (!/,"(map|filter)"$/.test(path)) return undefined;
  // A target may have a method of that name.
  if (!(base instanceof Call || path.indexOf(',', 1) > 0 || peer instanceof Recording)) return undefined;
  const recording = new Recording(peer, nameOf(node), peer.settings);
  const text = recording.textOf(value as (element: object, key: object) => unknown);
  return { name: 'callback', parts: [text, ...recording.captures] };
}

/** Runs callbacks of `map` and `filter` where the elements are. */
export const mapping: Feature = { pass, revive: { callback: callbackOf } };
