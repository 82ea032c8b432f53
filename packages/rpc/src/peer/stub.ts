import { lend, RpcTarget, StubBase } from '#platform';
import { RpcError, refusal } from '../errors.ts';
import { Call, STEP } from './call.ts';
import type { CallOptions } from './options.ts';
import type { Peer } from './peer.ts';

/** An object or function of the other side, for as long as the connection lasts. */
export interface Reference {
  /** Its id on the other side. */
  readonly id: number;
  /** The connection that it belongs to, counted by the peer. -1 once it was disposed of. */
  epoch: number;
  /** Where it was disposed of. */
  disposed?: Error | undefined;
  dispose(): void;
}

/** Operations that lead to an object of the other side. They are written in front of each use. */
export class Place {
  /** The operations, as they stand in an entry. */
  declare readonly operations: string;
  /** The session that it belongs to, counted by the peer. */
  declare readonly epoch: number;
  /** The number of calls in it, whose results the other side numbers, too. */
  declare readonly depth: number;
  declare readonly disposed: undefined;

  constructor(operations: string, epoch: number, depth = 0) {
    this.operations = operations;
    this.epoch = epoch;
    this.depth = depth;
  }
}

/** The start of a stub's path; undefined for the target of the connection. */
export type Base = Call | Reference | Place | undefined;

/** The place that a stub stands for. */
export interface Node {
  readonly peer: Peer;
  readonly base: Base;
  /** The names that lead from the base to it, each behind a comma, as JSON. */
  readonly path: string;
  readonly options: CallOptions | undefined;
}

/** Records calls in place of making them. */
export interface Recorder {
  /** Records a call of a stub, and returns what stands for its result. */
  record(node: Node, args: unknown[]): object;
  /** Creates the error for a use that cannot be recorded. */
  misuse(node: Node): Error;
}

/** The active recorder; undefined if none is active. All calls belong to it, whatever code makes them. */
export let recorder: Recorder | undefined;

/** Records all calls with this recorder from now on, or stops recording. Returns the recorder before it. */
export function recordBy(next: Recorder | undefined): Recorder | undefined {
  const before = recorder;
  recorder = next;
  return before;
}

// The object behind a proxy determines the kind of a stub. All stubs of a kind share one, so it must not be changeable.
// Functions make two of them, because bundlers then leave them out where nothing uses them.

/** A target is an object that shows no properties when it is inspected. */
const TARGET = behindTargets();
/** A function that was passed by reference is not a promise. */
export const FUNCTION = Object.preventExtensions(() => {});
/** A member may be a method. */
export const MEMBER = Object.preventExtensions(() => {});
/** A result is a promise and not a function, because tools would call a function. */
const RESULT = behindResults();

function behindTargets(): object {
  const { prototype } = class RpcStub extends StubBase {
    get [Symbol.toStringTag](): string {
      return 'RpcStub';
    }
  };
  return Object.preventExtensions(Object.create(prototype));
}

function behindResults(): object {
  return Object.preventExtensions(Object.create(Promise.prototype));
}

/** The key under which a stub gives its node to this library. Other values have nothing there. */
export const NODE = Symbol('lumenize.node');

/** Returns the node of a stub; undefined for other values. */
export function nodeOf(value: unknown): Node | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  return (value as { [NODE]?: Node })[NODE];
}

/** Creates the stub of a target or function of the other side. */
export function stubOf(peer: Peer, base: Base, isFunction = false): object {
  return new Proxy(isFunction ? FUNCTION : TARGET, new StubHandler(peer, base, '', undefined));
}

/** Creates the stub of a result. */
function resultStub(peer: Peer, call: Base, options?: CallOptions): object {
  return new Proxy(RESULT, new StubHandler(peer, call, '', options));
}

/** Returns a stub of the same place, for calls with other options. */
export function withOptions(stub: object, options: CallOptions): object | undefined {
  const node = nodeOf(stub);
  if (node === undefined) return undefined;
  const { peer, base, path } = node;
  const kind = path !== '' ? MEMBER : base instanceof Call ? RESULT : typeof stub === 'function' ? FUNCTION : TARGET;
  return new Proxy(kind, new StubHandler(peer, base, path, { ...node.options, ...options }));
}

/** The last name of a path, for messages. */
export function nameOf({ base, path }: Pick<Node, 'base' | 'path'>): string {
  return path === ''
    ? base instanceof Call
      ? 'the result'
      : base === undefined
        ? 'target'
        : 'function'
    : namesOf(path).at(-1)!;
}

export function namesOf(path: string): string[] {
  return JSON.parse(`[${path.slice(1)}]`);
}

/**
 * Properties that tools read on any value, and would call or await: those of promises and JSON, those of test matchers,
 * and well-known symbols in their old form as strings, such as `@@iterator`.
 */
const LOCAL = /^(then|toJSON|asymmetricMatch|_isMockFunction|@@.*)$/s;

/** The number of member stubs that are kept. Names that are data, such as ids of rooms, are unlimited in number. */
const MAX_MEMBERS = 1000;

/**
 * Returns true if a member is `call`, `apply` or `bind` of a function, as wrappers use it, and code that was compiled
 * for engines without `?.`. A method that is declared by such a name would hardly be given what they are given as
 * `this`: nothing, the method's own receiver, or an object of a class.
 */
function isOfFunctions(base: Base, method: string, name: string, [self, list]: unknown[]): boolean {
  const of = nodeOf(self);
  if (of) return of.base === base && namesOf(of.path).length === namesOf(method).length - 1;
  if (self != null && typeof self !== 'object') return false;
  if (name === 'apply' && list != null) return typeof list === 'object' && (list as unknown[]).length >= 0;
  return self == null || self === globalThis || !(self.constructor?.name in globalThis || self instanceof RpcTarget);
}

/** The symbol that compiled `using` reads if the engine has none of its own. */
const COMPILED_DISPOSE = Symbol.for('Symbol.dispose');

class StubHandler implements ProxyHandler<object>, Node {
  declare readonly peer: Peer;
  declare readonly base: Base;
  declare readonly path: string;
  declare readonly options: CallOptions | undefined;
  /** The stubs of members, kept because they are read again and again. */
  declare private members: Map<string, object> | undefined;

  constructor(peer: Peer, base: Base, path: string, options: CallOptions | undefined) {
    this.peer = peer;
    this.base = base;
    this.path = path;
    this.options = options;
    this.members = undefined;
  }

  apply(_kind: object, _this: unknown, args: unknown[]): object {
    const { peer, base, path, options } = this;
    const [, method, name] = /^(.*),"(call|apply|bind)"$/s.exec(path) ?? [];
    // A result may be a function, before it arrives; a target is none.
    const isOfCallable = name !== undefined && (method !== '' || base instanceof Call);
    if (isOfCallable && args.length > 0 && isOfFunctions(base, method, name, args)) {
      // As on any function: calls the stub of the method, or binds it.
      return Reflect.get(FUNCTION, name).apply(new Proxy(MEMBER, new StubHandler(peer, base, method, options)), args);
    }
    return recorder === undefined ? resultStub(peer, peer.op(this, args), options) : recorder.record(this, args);
  }

  get(kind: object, key: string | symbol): unknown {
    if (typeof key === 'string') {
      const known = this.members?.get(key);
      if (known !== undefined) return known;
      const isPromise = kind === MEMBER || kind === RESULT;
      if (isPromise && (key === 'then' || key === 'catch' || key === 'finally')) {
        const promise = this.call().promise();
        return promise[key].bind(promise);
      }
      return this.member(kind, key);
    }
    return key === NODE ? this : this.symbol(kind, key);
  }

  /** Returns the call whose result the stub stands for, and makes it if nobody has. */
  call(): Call {
    if (recorder !== undefined) throw recorder.misuse(this);
    const { base, path } = this;
    // A member may have another value each time.
    if (path !== '' || !(base instanceof Call)) return this.peer.op(this, undefined);
    return base.state === STEP ? this.peer.fetch(base) : base;
  }

  private symbol(kind: object, key: symbol): unknown {
    const isPromise = kind === MEMBER || kind === RESULT;
    switch (key) {
      case Symbol.dispose:
      case COMPILED_DISPOSE:
        return () => this.dispose();
      case Symbol.asyncIterator:
        return isPromise ? () => iterate(this.call().promise()) : undefined;
      case Symbol.toStringTag:
        return Reflect.get(kind, key);
      case Symbol.toPrimitive:
        return () => {
          if (!isPromise) return 'RpcStub';
          throw new RpcError('NOT_EXECUTED', `await ${nameOf(this)} first: it is remote`);
        };
    }
    return undefined;
  }

  private member(kind: object, name: string): unknown {
    if (LOCAL.test(name)) return undefined;
    // `stub[Symbol.dispose]` reads this name if the engine has no such symbol.
    if (name === 'undefined' && !Symbol.dispose) return () => this.dispose();
    if (name === 'dup' && lend !== undefined) return () => lend!(new Proxy(kind, this));
    // A function without a name. If the class of an object has a name, test printers ask whether the object is part of
    // a page.
    if (name === 'constructor') return FUNCTION;
    // A function by reference has the members of functions, and none elsewhere.
    if (kind === FUNCTION && name in kind) return Reflect.get(kind, name);
    this.members ??= new Map();
    if (this.members.size === MAX_MEMBERS) this.members.clear();
    const { peer, base, path, options } = this;
    const handler = new StubHandler(peer, base, `${path},${JSON.stringify(name)}`, options);
    const member = new Proxy(MEMBER, handler);
    this.members.set(name, member);
    return member;
  }

  private dispose(): void {
    const { peer, base, path } = this;
    // A property that was not read holds nothing to release, and a place holds nothing at all.
    if (path !== '' || base instanceof Place) return;
    if (base === undefined) peer.close();
    else if (!(base instanceof Call)) base.dispose();
    else {
      (base.state === STEP ? peer.fetch(base) : base).promise().then(
        (value) => (value as Partial<Disposable> | undefined)?.[Symbol.dispose]?.(),
        () => {}, // a failed call has nothing to release
      );
    }
  }
}

/** Iterates over a result that is an async iterable, once it has arrived. */
function iterate(result: Promise<unknown>): AsyncIterableIterator<unknown> {
  const opened = result.then((value) => (value as AsyncIterable<unknown>)[Symbol.asyncIterator]());
  opened.catch(() => {}); // the iterating code gets the error
  return {
    next: async () => (await opened).next(),
    return: async () => (await (await opened).return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Returns the error for the use of a stub that leads nowhere. */
export function lost(cause?: Error): RpcError {
  const message = `this stub was ${cause ? 'disposed of' : 'lost with its connection or caller: get a new one'}`;
  return refusal('REFERENCE_LOST', message, cause && { cause });
}
