import { CloneError, type Extension } from '@lumenize/structured-clone';
import { fromMessage, isMarked, resolveLimits } from '@lumenize/structured-clone/messages';
import { RpcError } from '../../errors/rpc-error.ts';
import type { Address } from '../../protocol/address.ts';
import { needsBodies } from '../../protocol/errors.ts';
import { FrameWriter } from '../../protocol/frame-writer.ts';
import { captureAddress, isMapping, type MappingName, Recording } from '../../protocol/recording.ts';
import { RESULT } from '../../protocol/tags.ts';
import { Call } from '../../session/outgoing/call.ts';
import { type CallOptions, NODE, type Node, nodeOf } from '../../session/outgoing/node.ts';
import { type CallRecorder, current, recordBy } from '../../session/outgoing/stub.ts';
import { explainUnsendable } from '../../session/outgoing/waiting-calls.ts';
import type { SessionSettings } from '../../session/settings.ts';

type Callback = (element: unknown, key: unknown) => unknown;

/** Stands among captures for what a stub from outside starts from. */
class CapturedBase {
  // Only declared: bundles keep a class that defines a field by a symbol.
  declare readonly [NODE]: Node;

  constructor(node: Node) {
    this[NODE] = { ...node, path: [] };
  }
}

/** Returns the arguments of a call, with a recording in place of a callback for `map` or `filter` on a result. */
export function withRecording(session: object, node: Node, args: unknown[]): unknown[] {
  const { owner, base, path, options } = node;
  const name = path.at(-1);
  const callback = args[0];
  const isOnResult = path.length > 1 || base instanceof Call || isRecorder(owner);
  if (typeof callback !== 'function' || !isMapping(name) || !isOnResult) return args;
  const recorder = createRecorder(session as RecordedSession, name, options);
  const outer = recordBy(recorder);
  try {
    return [recorder.record(callback as Callback), ...args.slice(1)];
  } finally {
    recordBy(outer);
    recorder.end();
  }
}

/** Stands behind all placeholders as a function: anything may turn out to be a method. */
const BEHIND = Object.preventExtensions(() => {});

/** Members that the language asks for when values are used for what a recording cannot know. */
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

/** What is needed of the session whose calls are recorded: how it writes values. */
interface RecordedSession {
  readonly settings: Pick<SessionSettings, 'tables'>;
}

const ONCE = 'the callback runs once, as a recording';

/** Writes down what a callback does with placeholders while it is run once. */
interface Recorder extends CallRecorder {
  /**
   * Runs the callback.
   * @throws {TypeError} where it does what cannot be recorded
   */
  record(callback: Callback): Recording;
  /** Notes that something is used: a property that was read, or any of a call's result. */
  use(node: Node): void;
  end(): void;
}

function isRecorder(owner: object): owner is Recorder {
  return 'recordCall' in owner;
}

function createRecorder(session: RecordedSession, mapping: MappingName, ownOptions: CallOptions | undefined): Recorder {
  const captures: object[] = [];
  /** Captures by what they were made of, so that none is made twice. */
  const sources: object[] = [];
  /** Errors for what was read or called and not used yet, made where that was. */
  const unused = new Map<object, TypeError>();
  const cannotKnow = `${ONCE}, and ${mapping}() cannot know what it branches on or calculates`;
  let nextId = 1;
  let isEnded = false;

  const recorder: Recorder = {
    record(callback) {
      // Addresses count the key as the operation before the first.
      const result = callback(standIn(undefined, 'element'), standIn(new Call(''), 'key'));
      if (result instanceof Promise && nodeOf(result) === undefined) {
        // What happens in it no longer matters.
        result.catch(() => {});
        throw new TypeError(`the callback of ${mapping}() is async, or returns a promise: ${ONCE}, and cannot wait`);
      }
      write([result], (error) =>
        error instanceof CloneError
          ? new RpcError('NOT_CLONEABLE', error.message.replace(/^at value\[0\]/, "at the callback's result"))
          : error,
      );
      for (const error of unused.values()) throw error;
      const { text, tail } = fromMessage(writer.finish());
      // In a recording every entry is a form, marked or not.
      const forms = (JSON.parse(text) as unknown[]).map((entry) => (isMarked(entry) ? entry.$ : entry));
      return new Recording(JSON.stringify(forms), captures, tail);
    },

    end() {
      isEnded = true;
    },

    recordCall(node, args) {
      const { owner, base, path, name, options } = node;
      if (isRecorder(owner)) owner.use(node);
      else if (owner !== session) {
        throw new TypeError(`${name}() is of another connection: ${ONCE}, for the server that it is called on`);
      }
      if (options !== undefined && options !== ownOptions) {
        throw new TypeError(`${name}() has options of its own: give them to the stub that ${mapping}() is called on`);
      }
      const entry = [
        owner === recorder ? addressOf(base) : capture(base ?? owner, new CapturedBase(node)),
        path.length === 1 ? path[0] : path,
        withRecording(session, node, args),
      ];
      write(entry, (error) => explainUnsendable(error, name));
      const call = new Call(name);
      call.id = nextId++;
      if (mapping === 'filter') {
        const what = `the result of ${name}() is used for nothing: ${cannotKnow}`;
        noteUnused(call, `${what}; for two conditions call filter() twice`, recorder.recordCall);
      }
      return standIn(call, name);
    },

    misuse: (node, what) =>
      new TypeError(`${describe(node)} cannot ${what}: ${ONCE}, with placeholders; do it on the server`),

    use(node) {
      unused.delete(node);
      if (node.base !== undefined) unused.delete(node.base);
    },
  };

  const { types, locate } = session.settings.tables;
  const writer = new FrameWriter(
    { types, locate, limits: LIMITS },
    {
      // For what the codec does not carry: a placeholder, or something from outside.
      extend(value): Extension {
        if (value instanceof Recording) return value.extension;
        const node = nodeOf(value);
        if (node?.owner !== recorder) return { name: RESULT, parts: [capture(value, value)] };
        recorder.use(node);
        return { name: RESULT, parts: [addressOf(node.base), ...node.path] };
      },
    },
  );

  /** Appends an entry; throws what `explain` makes of an error. */
  function write(entry: unknown[], explain: (error: unknown) => unknown): void {
    try {
      writer.write(entry);
    } catch (error) {
      if (!needsBodies(error)) throw explain(error);
      const what = 'a Blob, File, Request or Response cannot be part of a callback that is recorded';
      throw new RpcError('NOT_CLONEABLE', `${what}: use a result that holds it`);
    }
  }

  /** Makes what stands for the element, its key, or the result of a call. */
  function standIn(base: Call | undefined, name: string): object {
    return placeholder({ owner: recorder, base, path: [], name, options: ownOptions });
  }

  /** Makes what stands for a value that is not known yet. */
  function placeholder(node: Node): object {
    const refuse = (what: string) => () => {
      throw recorder.misuse(node, what);
    };
    const checkOpen = () => {
      if (isEnded) refuse('be used when the callback has returned')();
    };
    return new Proxy(BEHIND, {
      apply: (_behind, _this, args) => {
        checkOpen();
        // In a callback in a callback, a call of the outer one's placeholder is the inner one's.
        return current!.recordCall(node, args);
      },
      get: (_behind, key) => {
        checkOpen();
        if (key === NODE) return node;
        const misuse = MISUSES.get(key);
        if (misuse !== undefined) throw recorder.misuse(node, misuse);
        return typeof key === 'string' ? read(node, key) : undefined;
      },
      has: refuse('be searched for keys'),
      ownKeys: refuse('be spread, or searched for keys'),
      set: refuse('be changed'),
      defineProperty: refuse('be changed'),
      deleteProperty: refuse('be changed'),
    });
  }

  /** Notes that a property is read. */
  function read(node: Node, name: string): object {
    recorder.use(node);
    const made: Node = { ...node, path: [...node.path, name], name };
    const what = `${describe(made)} was read here and used for nothing`;
    noteUnused(made, `${what}: ${cannotKnow}; use filter(), or do it on the server`, read);
    return placeholder(made);
  }

  function addressOf(base: Node['base']): Address {
    return base === undefined ? 0 : nextId - (base as Call).id;
  }

  function capture(source: object, value: object): Address {
    const known = sources.indexOf(source);
    if (known >= 0) return captureAddress(known);
    captures.push(value);
    return captureAddress(sources.push(source) - 1);
  }

  function noteUnused(what: object, message: string, below: unknown): void {
    const error = new TypeError(message);
    (Error as { captureStackTrace?: (error: Error, below: unknown) => void }).captureStackTrace?.(error, below);
    unused.set(what, error);
  }

  return recorder;
}

/** Names what a node stands for, for messages. */
function describe({ owner, base, path }: Node): string {
  let from = isRecorder(owner) ? 'element' : 'stub';
  if (base instanceof Call) from = base.name === '' ? 'key' : `${base.name}()`;
  return [from, ...path].join('.');
}
