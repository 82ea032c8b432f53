import { CloneError, createEncoder, type Extension } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import type { Address } from '../../protocol/address.ts';
import { RECORDING, RESULT } from '../../protocol/extension.ts';
import { captureAddress, isMapping, type MappingName, Recording } from '../../protocol/recording.ts';
import { needsBodies } from '../../protocol/unsendable.ts';
import { Call } from './call.ts';
import { explainUnsendable } from './explain-unsendable.ts';
import { NODE, type Node, nodeOf, type StubOptions } from './node.ts';
import { type PlaceholderOwner, placeholder } from './placeholder.ts';

type Callback = (element: unknown, key: unknown) => unknown;

let current: Recorder | undefined;

/** The recording that is going on: all calls belong to it, whoever makes them. */
export function currentRecorder(): Recorder | undefined {
  return current;
}

/** Stands among captures for what a stub from outside starts from. */
class CapturedBase {
  declare readonly [NODE]: Node;

  constructor(node: Node) {
    Object.assign(this, { [NODE]: { ...node, path: [] } });
  }
}

/** Returns the arguments of a call, with a recording in place of a callback for `map` or `filter` on a result. */
export function withRecording(session: object, node: Node, args: unknown[]): unknown[] {
  const { owner, base, path, options } = node;
  const name = path.at(-1);
  const callback = args[0];
  const isOnResult = path.length > 1 || base instanceof Call || owner instanceof Recorder;
  if (!isMapping(name) || typeof callback !== 'function' || !isOnResult) return args;
  const outer = current;
  const recorder = new Recorder(session, name, options);
  current = recorder;
  try {
    return [recorder.record(callback as Callback), ...args.slice(1)];
  } finally {
    current = outer;
    recorder.end();
  }
}

/** Writes down what a callback does with placeholders while it is run once. */
class Recorder implements PlaceholderOwner {
  readonly #session: object;
  readonly #name: MappingName;
  readonly #options: StubOptions | undefined;
  readonly #encoder = createEncoder({ extend: (value) => this.#extend(value), limits: { maxHoles: 1000 } });
  readonly #captures: object[] = [];
  /** What each capture was made of, so that none is made twice. */
  readonly #captured: unknown[] = [];
  /** Errors for what was read or called and not used yet, made where that was. */
  readonly #unused = new Map<object, TypeError>();
  #nextId = 1;
  #isEnded = false;

  constructor(session: object, name: MappingName, options: StubOptions | undefined) {
    this.#session = session;
    this.#name = name;
    this.#options = options;
  }

  /**
   * Runs the callback.
   * @throws {TypeError} where it does what cannot be recorded
   */
  record(callback: Callback): Recording {
    // Addresses count the key as the operation before the first.
    const result = callback(
      this.#placeholder(undefined, 'element'),
      this.#placeholder(new Call(0, undefined, ''), 'key'),
    );
    if (result instanceof Promise && nodeOf(result) === undefined) {
      // What happens in it no longer matters.
      result.catch(() => {});
      throw new TypeError(`the callback of ${this.#name}() is async, or returns a promise: ${ONCE}, and cannot wait`);
    }
    this.#write([result], (error) =>
      error instanceof CloneError
        ? new RpcError('NOT_CLONEABLE', error.message.replace(/^at value\[0\]/, "at the callback's result"))
        : error,
    );
    for (const error of this.#unused.values()) throw error;
    return new Recording(this.#encoder.finish(), this.#captures);
  }

  end(): void {
    this.#isEnded = true;
  }

  checkOpen(node: Node): void {
    if (this.#isEnded) throw this.misuse(node, 'be used when the callback has returned');
  }

  read(node: Node, name: string): object {
    this.#use(node);
    const made: Node = { ...node, path: [...node.path, name], name };
    const what = `${describe(made)} was read here and used for nothing`;
    this.#noteUnused(made, `${what}: ${this.#cannotKnow}; use filter(), or do it on the server`, this.read);
    return placeholder(this, made);
  }

  call(node: Node, args: unknown[]): object {
    this.checkOpen(node);
    // In a callback in a callback, a call of the outer one's placeholder is the inner one's.
    return current!.recordCall(node, args);
  }

  /** Records a call: of a placeholder, or of a stub from outside. */
  recordCall(node: Node, args: unknown[]): object {
    const { owner, base, path, name, options } = node;
    if (owner instanceof Recorder) owner.#use(node);
    else if (owner !== this.#session) {
      throw new TypeError(`${name}() is of another connection: ${ONCE}, for the server that it is called on`);
    }
    if (options !== undefined && options !== this.#options) {
      throw new TypeError(`${name}() has options of its own: give them to the stub that ${this.#name}() is called on`);
    }
    const entry = [
      owner === this ? this.#address(base) : this.#capture(base ?? owner, () => new CapturedBase(node)),
      path.length === 1 ? path[0] : path,
      withRecording(this.#session, node, args),
    ];
    this.#write(entry, (error) => explainUnsendable(error, name));
    const call = new Call(this.#nextId++, undefined, name);
    if (this.#name === 'filter') {
      const what = `the result of ${name}() is used for nothing: ${this.#cannotKnow}`;
      this.#noteUnused(call, `${what}; for two conditions call filter() twice`, this.recordCall);
    }
    return this.#placeholder(call, name);
  }

  misuse(node: Node, what: string): TypeError {
    return new TypeError(`${describe(node)} cannot ${what}: ${ONCE}, with placeholders; do it on the server`);
  }

  get #cannotKnow(): string {
    return `${ONCE}, and ${this.#name}() cannot know what it branches on or calculates`;
  }

  #placeholder(base: Call | undefined, name: string): object {
    return placeholder(this, { owner: this, base, path: [], name, options: this.#options });
  }

  /** Appends an entry; throws what `explain` makes of an error. */
  #write(entry: unknown[], explain: (error: unknown) => unknown): void {
    try {
      this.#encoder.write(entry);
    } catch (error) {
      if (!needsBodies(error)) throw explain(error);
      const what = 'a Blob, File, Request or Response cannot be part of a callback that is recorded';
      throw new RpcError('NOT_CLONEABLE', `${what}: use a result that holds it`);
    }
  }

  /** Says how a value travels that the codec does not carry: a placeholder, or something from outside. */
  #extend(value: object): Extension {
    if (value instanceof Recording) return { kind: RECORDING, payload: [value.body, ...value.captures] };
    const node = nodeOf(value);
    if (node?.owner !== this) return { kind: RESULT, payload: [this.#capture(value, () => value)] };
    this.#use(node);
    return { kind: RESULT, payload: [this.#address(node.base), ...node.path] };
  }

  #address(base: Node['base']): Address {
    return base === undefined ? 0 : this.#nextId - (base as Call).id;
  }

  #capture(source: unknown, make: () => object): Address {
    let place = this.#captured.indexOf(source);
    if (place < 0) {
      place = this.#captured.push(source) - 1;
      this.#captures.push(make());
    }
    return captureAddress(place);
  }

  #noteUnused(what: object, message: string, below: unknown): void {
    const error = new TypeError(message);
    (Error as { captureStackTrace?: (error: Error, below: unknown) => void }).captureStackTrace?.(error, below);
    this.#unused.set(what, error);
  }

  /** Notes that something is used: a property that was read, or any of a call's result. */
  #use(node: Node): void {
    this.#unused.delete(node);
    if (node.base !== undefined) this.#unused.delete(node.base);
  }
}

const ONCE = 'the callback runs once, as a recording';

/** Names what a node stands for, for messages. */
function describe({ owner, base, path }: Node): string {
  let from = owner instanceof Recorder ? 'element' : 'stub';
  if (base instanceof Call) from = base.name === '' ? 'key' : `${base.name}()`;
  return [from, ...path].join('.');
}
