import { lend, StubBase } from '#platform';
import { RpcError } from '../../errors/rpc-error.ts';
import type { ObservedSession, Observer } from '../observe/observer.ts';
import { isTarget } from '../references/by-reference.ts';
import type { Reference } from '../references/reference.ts';
import { Timer } from '../timer.ts';
import { Call } from './call.ts';
import { type CallOptions, NODE, type Node, nodeOf, type PrepareArguments } from './node.ts';

/** The part of a session that stubs use. */
export interface StubSession extends ObservedSession {
  readonly settings: {
    readonly tables: {
      readonly iterate?: typeof iterate | undefined;
      /** Returns the arguments to send in place of the given ones. Undefined if arguments are sent as they are. */
      readonly prepare?: PrepareArguments | undefined;
    };
  };
  /**
   * Makes an operation. `args` is undefined for reading a property. Never throws: a failure becomes the outcome of the
   * call.
   */
  call(call: Call, node: Node, args: unknown[] | undefined): void;
  close(): void;
}

/** Records calls in place of making them. */
export interface CallRecorder {
  /** Records a call of a stub, and returns a placeholder for its result. */
  recordCall(node: Node, args: unknown[]): object;
  /** Creates the error for a use that cannot be recorded. */
  misuse(node: Node, use: string): Error;
}

/** The active recorder; undefined if none is active. All calls belong to it, whatever code makes them. */
export let current: CallRecorder | undefined;

/**
 * Records all calls with `recorder` from now on, or stops recording if it is undefined. Returns the previous recorder.
 */
export function recordBy(recorder: CallRecorder | undefined): CallRecorder | undefined {
  const before = current;
  current = recorder;
  return before;
}

// The object behind a proxy determines the kind of a stub. All stubs of a kind share one, so it must not be changeable.

/** A target is an object that shows no properties when it is inspected. */
const TARGET = behindTargets();
/** A function that was passed by reference is not a promise. */
const FUNCTION = Object.preventExtensions(() => {});
/** A member may be a method. */
const MEMBER = Object.preventExtensions(() => {});
/** A result is a promise and not a function, because tools would call a function. */
const RESULT = behindResults();

// Functions make these two, because bundlers then leave them out where nothing uses them.

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

/**
 * Properties that tools read on any value, and would call or await: those of promises and JSON, those of test matchers,
 * and well-known symbols in their old form as strings, such as `@@iterator`.
 */
const LOCAL = /^(then|toJSON|asymmetricMatch|_isMockFunction|@@.*)$/s;

/** The number of member stubs that are kept. Names that are data, such as ids of rooms, are unlimited in number. */
const MAX_MEMBERS = 1000;

/** Creates the stub of a connection's target. */
export function rootStub(owner: StubSession): object {
  return stub(TARGET, { owner, base: undefined, path: [], name: 'target', options: undefined });
}

/** Creates the stub of a target or function on the other side. */
export function referenceStub(owner: StubSession, base: Reference): object {
  const { name } = base;
  return stub(name === 'function' ? FUNCTION : TARGET, { owner, base, path: [], name, options: undefined });
}

/** Returns a stub of the same place, for calls with other options. */
export function stubWithOptions(node: Node, isFunction: boolean, options: CallOptions): object {
  let kind = TARGET;
  if (node.path.length > 0) kind = MEMBER;
  else if (node.base instanceof Call) kind = RESULT;
  else if (isFunction) kind = FUNCTION;
  const all = { ...node.options, ...options };
  // Set here, so that a page without options does not load the code.
  return stub(kind, { ...node, options: { ...all, limit: (call) => limitCall(call, all) } });
}

/**
 * Gives up a call when its signal is aborted or its time is over. The call fails at once if the signal is already
 * aborted.
 */
function limitCall(call: Call, { signal, timeoutMs }: CallOptions): void {
  const { name } = call;
  if (signal?.aborted) {
    const message = `${name}() was not called: its signal was aborted before`;
    return call.fail(new RpcError('CANCELLED', message, { cause: signal.reason }));
  }
  const abort = () =>
    call.giveUp(new RpcError('CANCELLED', `${name}() was cancelled; it may have run`, { cause: signal?.reason }));
  const expire = () =>
    call.giveUp(new RpcError('TIMED_OUT', `${name}() took longer than ${timeoutMs} ms; it may have run`));
  const timer = new Timer();
  if (timeoutMs !== undefined) timer.set(timeoutMs, expire);
  signal?.addEventListener('abort', abort);
  call.onSettled(() => {
    timer.stop();
    signal?.removeEventListener('abort', abort);
  });
}

/** Creates a stub. `kind` is the object behind the proxy. */
export function stub(kind: object, node: Node): object {
  return new Proxy(kind, new StubHandler(node));
}

/**
 * Returns true if a member is `call`, `apply` or `bind` of a function, as wrappers use it, and code that was compiled
 * for engines without `?.`. A method that is declared by such a name would hardly be given what they are given as
 * `this`: nothing, the member's own receiver, or an object of a class.
 */
function isOfFunctions({ base, path, name }: Node, args: unknown[]): boolean {
  if (path.length < 2 || !args.length || !/^(call|apply|bind)$/.test(name)) return false;
  const [self, list] = args as [object | undefined, ArrayLike<unknown> | undefined];
  const of = nodeOf(self);
  if (of) return of.base === base && of.path.length === path.length - 2;
  if (self != null && typeof self !== 'object') return false;
  if (name === 'apply' && list != null) return typeof list === 'object' && list.length >= 0;
  return self == null || self === globalThis || !(self.constructor?.name in globalThis || isTarget(self));
}

/** The symbol that compiled `using` reads if the engine has none of its own. */
const COMPILED_DISPOSE = Symbol.for('Symbol.dispose');

class StubHandler implements ProxyHandler<object> {
  // Nothing can reach the handler of a proxy, so its fields need not be private. Private fields would cost one more
  // function for each stub.
  declare private readonly node: Node;
  /** The stubs of members, kept because they are read again and again. */
  declare private members: Map<string, object> | undefined;

  constructor(node: Node) {
    this.node = node;
    this.members = undefined;
  }

  apply(_kind: object, _this: unknown, args: unknown[]): object {
    const node = this.node;
    if (isOfFunctions(node, args)) {
      const path = node.path.slice(0, -1);
      // As on any function: calls the stub of the method, or binds it.
      return Reflect.get(FUNCTION, node.name).apply(stub(MEMBER, { ...node, path, name: path.at(-1)! }), args);
    }
    if (current !== undefined) return current.recordCall(node, args);
    const { owner, name, options } = node;
    const base = begin(node, args, (owner as StubSession).observer);
    return new Proxy(RESULT, new StubHandler({ owner, base, path: [], name, options }));
  }

  get(kind: object, key: string | symbol): unknown {
    const node = this.node;
    if (key === NODE) return node;
    const isPromise = kind === MEMBER || kind === RESULT;
    if (isPromise && (key === 'then' || key === 'catch' || key === 'finally')) {
      const promise = this.promise('be awaited');
      return promise[key].bind(promise);
    }
    if (typeof key === 'string') return this.members?.get(key) ?? this.member(kind, key);
    if (key === Symbol.dispose || key === COMPILED_DISPOSE) return () => this.dispose();
    if (key === Symbol.asyncIterator && isPromise) {
      const { settings } = node.owner as Partial<StubSession>;
      const iterate = settings?.tables.iterate;
      // A recorder has no settings, and reports that iterating cannot be recorded.
      return iterate || !settings ? () => iterate!(this.promise('be iterated')) : undefined;
    }
    if (key === Symbol.toStringTag) return Reflect.get(kind, key);
    if (key !== Symbol.toPrimitive) return undefined;
    return () => {
      if (!isPromise) return 'RpcStub';
      throw new RpcError('NOT_EXECUTED', `await ${node.name} first: it is remote`);
    };
  }

  private member(kind: object, name: string): unknown {
    if (LOCAL.test(name)) return undefined;
    // `stub[Symbol.dispose]` reads this name if the engine has no such symbol.
    if (name === 'undefined' && !Symbol.dispose) return () => this.dispose();
    if (name === 'dup' && lend !== undefined) return () => lend!(stub(kind, this.node));
    // A function without a name. If the class of an object has a name, test printers ask whether the object is part of
    // a page.
    if (name === 'constructor') return FUNCTION;
    // A function by reference has the members of functions, and none elsewhere.
    if (kind === FUNCTION && name in kind) return Reflect.get(kind, name);
    this.members ??= new Map();
    if (this.members.size === MAX_MEMBERS) this.members.clear();
    const member = stub(MEMBER, { ...this.node, path: [...this.node.path, name], name });
    this.members.set(name, member);
    return member;
  }

  private dispose(): void {
    const { owner, base, path } = this.node;
    // A property that was not read holds nothing to release.
    if (path.length > 0) return;
    if (base === undefined) (owner as StubSession).close();
    else base.dispose();
  }

  private promise(use: string): Promise<unknown> {
    const { base, path } = this.node;
    if (current !== undefined) throw current.misuse(this.node, use);
    // A path that nobody awaits is never read, so reading begins here.
    const isResult = base instanceof Call && path.length === 0 && !(base.isStep && base.isKept);
    return (isResult ? base : begin(this.node, undefined, (this.node.owner as StubSession).observer)).promise();
  }
}

/** Makes a call, and tells the observer about it. */
function begin(node: Node, args: unknown[] | undefined, observer: Observer | undefined): Call {
  const session = node.owner as StubSession;
  if (observer !== undefined)
    return observer.outgoing(session, node, args, (observed) => begin(observed, args, undefined));
  const call = new Call(node.name);
  const { prepare } = session.settings.tables;
  const given = args === undefined || prepare === undefined ? args : prepare(session, node, args);
  node.options?.limit?.(call);
  if (call.outcome === undefined) session.call(call, node, given);
  return call;
}

/** Iterates over a result that is an async iterable, once it has arrived. */
export function iterate(result: Promise<unknown>): AsyncIterableIterator<unknown> {
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
