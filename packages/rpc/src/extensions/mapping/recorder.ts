import { CloneError, type Extension } from '@lumenize/structured-clone';
import { fromMessage, isMarked, resolveLimits, toJson } from '@lumenize/structured-clone/messages';
import { RpcError } from '../../errors/rpc-error.ts';
import type { Address } from '../../protocol/address.ts';
import { needsBodies } from '../../protocol/errors.ts';
import { FrameWriter } from '../../protocol/frame-writer.ts';
import { captureAddress, isMapping, type MappingName, Recording } from '../../protocol/recording.ts';
import { RESULT } from '../../protocol/tags.ts';
import { isPromise } from '../../session/brand.ts';
import { Call } from '../../session/outgoing/call.ts';
import { type CallOptions, NODE, type Node, nodeOf } from '../../session/outgoing/node.ts';
import { type CallRecorder, current, recordBy } from '../../session/outgoing/stub.ts';
import { explainUnsendable } from '../../session/outgoing/waiting-calls.ts';
import type { SessionSettings } from '../../session/settings.ts';

type Callback = (element: unknown, key: unknown) => unknown;

/** The capture for the target, reference or result at which the path of an outside stub starts. */
class CapturedBase {
  // Only declared, because bundlers keep a class that defines a field with a symbol.
  declare readonly [NODE]: Node;

  constructor(node: Node) {
    this[NODE] = { ...node, path: [] };
  }
}

/** Returns the arguments of a call. If it is `map` or `filter` on a result, a recording replaces the callback. */
export function withRecording(session: object, node: Node, args: unknown[]): unknown[] {
  const { owner, base, path, options } = node;
  const name = path.at(-1);
  const callback = args[0];
  const isOnResult = path.length > 1 || base instanceof Call || owner instanceof Recorder;
  if (typeof callback !== 'function' || !isMapping(name) || !isOnResult) return args;
  const recorder = new Recorder(session as RecordedSession, name, options);
  const outer = recordBy(recorder);
  try {
    return [recorder.record(callback as Callback), ...args.slice(1)];
  } finally {
    recordBy(outer);
    recorder.isEnded = true;
  }
}

/** The proxy target of all placeholders. It is a function, because any property may turn out to be a method. */
const BEHIND = Object.preventExtensions(() => {});

/**
 * Members that the language asks for when code awaits, converts, iterates or disposes of a value. A recording cannot
 * know the result; the texts complete the error messages.
 */
const MISUSES = new Map<string | symbol, string>([
  ['then', 'be awaited'],
  ['catch', 'be awaited'],
  ['finally', 'be awaited'],
  ['toJSON', 'be turned into text'],
  [Symbol.toPrimitive, 'be calculated with, compared or put into text'],
  [Symbol.iterator, 'be iterated: use its own map() or filter()'],
  [Symbol.asyncIterator, 'be iterated: use its own map() or filter()'],
  [Symbol.dispose, 'be disposed of'],
]);

const LIMITS = resolveLimits({ maxHoles: 1000 });

/** The part of a session that a recording needs: how it writes values. */
interface RecordedSession {
  readonly settings: Pick<SessionSettings, 'tables'>;
}

const ONCE = 'the callback runs once, as a recording';

/** Runs a callback once with placeholders, and records the operations that it performs on them. */
class Recorder implements CallRecorder {
  readonly #session: RecordedSession;
  readonly #name: MappingName;
  readonly #options: CallOptions | undefined;
  readonly #writer: FrameWriter;
  readonly #captures: object[] = [];
  /** The originals of the captures, in the same order, so that nothing is captured twice. */
  readonly #sources: object[] = [];
  /** Errors for properties and results that are not used yet. Each was created where the read or the call was made. */
  readonly #unused = new Map<object, TypeError>();
  readonly #cannotKnow: string;
  #nextId = 1;
  /** True once the callback has returned. */
  isEnded = false;

  constructor(session: RecordedSession, name: MappingName, options: CallOptions | undefined) {
    this.#session = session;
    const { types, locate } = session.settings.tables;
    this.#writer = new FrameWriter({ types, locate, limits: LIMITS }, { extend: (value) => this.#extend(value) });
    this.#name = name;
    this.#options = options;
    this.#cannotKnow = `${ONCE}, and ${name}() cannot know what it branches on or calculates`;
  }

  /**
   * Runs the callback, and returns its recording.
   * @throws {TypeError} if the callback does something that cannot be recorded
   */
  record(callback: Callback): Recording {
    // In addresses, the key counts as the operation before the first one.
    const result = callback(this.#standIn(undefined, 'element'), this.#standIn(new Call(''), 'key'));
    if (nodeOf(result) === undefined && isPromise(result)) {
      // The callback is refused anyway, so its own failure does not matter.
      result.then(undefined, () => {});
      throw new TypeError(`the callback of ${this.#name}() is async, or returns a promise: ${ONCE}, and cannot wait`);
    }
    this.#write([result], (error) =>
      error instanceof CloneError
        ? new RpcError('NOT_CLONEABLE', error.message.replace(/^at value\[0\]/, "at the callback's result"))
        : error,
    );
    for (const error of this.#unused.values()) throw error;
    const { text, tail } = fromMessage(this.#writer.finish());
    // In a recording every entry is a form, marked or not.
    const forms = (JSON.parse(text) as unknown[]).map((entry) => (isMarked(entry) ? entry.$ : entry));
    return new Recording(toJson(forms), this.#captures, tail);
  }

  /** Records a call of a placeholder or of an outside stub. */
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
      owner === this ? this.#address(base) : this.#capture(base ?? owner, new CapturedBase(node)),
      path.length === 1 ? path[0] : path,
      withRecording(this.#session, node, args),
    ];
    this.#write(entry, (error) => explainUnsendable(error, name));
    const call = new Call(name);
    call.id = this.#nextId++;
    if (this.#name === 'filter') {
      const what = `the result of ${name}() is used for nothing: ${this.#cannotKnow}`;
      this.#noteUnused(call, `${what}; for two conditions call filter() twice`, this.recordCall);
    }
    return this.#standIn(call, name);
  }

  misuse(node: Node, what: string): TypeError {
    return new TypeError(`${describe(node)} cannot ${what}: ${ONCE}, with placeholders; do it on the server`);
  }

  /** Creates the placeholder for the element, its key, or the result of a call. */
  #standIn(base: Call | undefined, name: string): object {
    return this.#placeholder({ owner: this, base, path: [], name, options: this.#options });
  }

  /** Creates a placeholder for a value that is not known yet. */
  #placeholder(node: Node): object {
    const refuse = (what: string) => () => {
      throw this.misuse(node, what);
    };
    const checkOpen = () => {
      if (this.isEnded) throw this.misuse(node, 'be used when the callback has returned');
    };
    return new Proxy(BEHIND, {
      apply: (_behind, _this, args) => {
        checkOpen();
        // In a nested callback, a call of the outer callback's placeholder belongs to the inner recording.
        return current!.recordCall(node, args);
      },
      get: (_behind, key) => {
        checkOpen();
        if (key === NODE) return node;
        const misuse = MISUSES.get(key);
        if (misuse !== undefined) throw this.misuse(node, misuse);
        return typeof key === 'string' ? this.#read(node, key) : undefined;
      },
      has: refuse('be searched for keys'),
      ownKeys: refuse('be spread, or searched for keys'),
      set: refuse('be changed'),
      defineProperty: refuse('be changed'),
      deleteProperty: refuse('be changed'),
    });
  }

  /** Records that a property is read, and returns its placeholder. */
  #read(node: Node, name: string): object {
    this.#use(node);
    const made: Node = { ...node, path: [...node.path, name], name };
    const what = `${describe(made)} was read here and used for nothing`;
    this.#noteUnused(made, `${what}: ${this.#cannotKnow}; use filter(), or do it on the server`, this.#read);
    return this.#placeholder(made);
  }

  /** Appends an entry. If that fails, throws the error that `explain` returns. */
  #write(entry: unknown[], explain: (error: unknown) => unknown): void {
    try {
      this.#writer.write(entry);
    } catch (error) {
      if (!needsBodies(error)) throw explain(error);
      const message = 'a Blob, File, Request or Response cannot be part of a callback: use a result that holds it';
      throw new RpcError('NOT_CLONEABLE', message);
    }
  }

  /** Returns the replacement for a value that the codec does not carry: a placeholder, or a value from outside. */
  #extend(value: object): Extension {
    if (value instanceof Recording) return value.extension;
    const node = nodeOf(value);
    if (node?.owner !== this) return { name: RESULT, parts: [this.#capture(value, value)] };
    this.#use(node);
    return { name: RESULT, parts: [this.#address(node.base), ...node.path] };
  }

  #address(base: Node['base']): Address {
    return base === undefined ? 0 : this.#nextId - (base as Call).id;
  }

  #capture(source: object, value: object): Address {
    const known = this.#sources.indexOf(source);
    if (known >= 0) return captureAddress(known);
    this.#captures.push(value);
    return captureAddress(this.#sources.push(source) - 1);
  }

  #noteUnused(what: object, message: string, below: unknown): void {
    const error = new TypeError(message);
    (Error as { captureStackTrace?: (error: Error, below: unknown) => void }).captureStackTrace?.(error, below);
    this.#unused.set(what, error);
  }

  /** Records that something is used: a property that was read, or any part of a call's result. */
  #use(node: Node): void {
    this.#unused.delete(node);
    if (node.base !== undefined) this.#unused.delete(node.base);
  }
}

/** Returns the name of a node, for messages. */
function describe({ owner, base, path }: Node): string {
  let from = owner instanceof Recorder ? 'element' : 'stub';
  if (base instanceof Call) from = base.name === '' ? 'key' : `${base.name}()`;
  return [from, ...path].join('.');
}
