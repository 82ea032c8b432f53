import { lend, StubBase } from '#platform';
import { RpcError } from '../../errors/rpc-error.ts';
import type { ObservedSession, Observer } from '../observe/observer.ts';
import type { Reference } from '../references/reference.ts';
import { Timer } from '../timer.ts';
import { Call } from './call.ts';
import { type CallOptions, NODE, type Node, type PrepareArguments } from './node.ts';

/** Part of a session that stubs use. */
export interface StubSession extends ObservedSession {
  readonly settings: {
    readonly tables: {
      readonly iterate?: typeof iterate | undefined;
      /** Returns the arguments to send in place of those given; undefined where they are sent as they are. */
      readonly prepare?: PrepareArguments | undefined;
    };
  };
  /** Makes an operation; arguments are undefined for reading a property. Never throws: a failure is the call's outcome. */
  call(call: Call, node: Node, args: unknown[] | undefined): void;
  close(): void;
}

/** Writes calls down instead of having them made. */
export interface CallRecorder {
  /** Records a call of a stub, and returns what stands for its result. */
  recordCall(node: Node, args: unknown[]): object;
  /** Makes the error for a use that cannot be recorded. */
  misuse(node: Node, use: string): Error;
}

/** The recording that is going on: all calls belong to it, whoever makes them. */
export let current: CallRecorder | undefined;

/** Has all calls recorded from now on, or made again where `recorder` is undefined; returns what recorded them before. */
export function recordBy(recorder: CallRecorder | undefined): CallRecorder | undefined {
  const before = current;
  current = recorder;
  return before;
}

// What is behind the proxies says what kind of thing a stub is. All stubs share it, so that it cannot be changed.

/** A target is an object, without properties to whoever inspects it. */
const TARGET = behindTargets();
/** A function by reference: it is no promise. */
const FUNCTION = Object.preventExtensions(() => {});
/** A member may be a method. */
const MEMBER = Object.preventExtensions(() => {});
/** A result is a promise, and no function: tools would call it. */
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

/**
 * Properties that tools ask any value for, and would call or wait for: promises and JSON, matchers of tests, and
 * well-known symbols as they were before there were symbols, such as `@@iterator`.
 */
const LOCAL = /^(then|toJSON|asymmetricMatch|_isMockFunction|@@.*)$/s;

/** So many stubs of members are kept: names that are data, such as ids of rooms, may be any number. */
const MAX_MEMBERS = 1000;

/** Makes the stub of a connection's target. */
export function rootStub(owner: StubSession): object {
  return stub(TARGET, { owner, base: undefined, path: [], name: 'target', options: undefined });
}

/** Makes the stub of a target or function on the other side. */
export function referenceStub(owner: StubSession, base: Reference): object {
  const { name } = base;
  return stub(name === 'function' ? FUNCTION : TARGET, { owner, base, path: [], name, options: undefined });
}

/** Returns a stub like another one, for calls with other options. */
export function stubWithOptions(node: Node, isFunction: boolean, options: CallOptions): object {
  let kind = TARGET;
  if (node.path.length > 0) kind = MEMBER;
  else if (node.base instanceof Call) kind = RESULT;
  else if (isFunction) kind = FUNCTION;
  const all = { ...node.options, ...options };
  // Here, so that a page without options has nothing of it.
  return stub(kind, { ...node, options: { ...all, limit: (call) => limitCall(call, all) } });
}

/** Has a call given up when its signal is aborted or its time is over. It fails at once where the signal is aborted already. */
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

/** Makes a stub; `kind` is behind the proxy. */
export function stub(kind: object, node: Node): object {
  return new Proxy(kind, new StubHandler(node));
}

/** Symbol that compiled `using` asks for if the engine has none of its own. */
const COMPILED_DISPOSE = Symbol.for('Symbol.dispose');

class StubHandler implements ProxyHandler<object> {
  // Nobody gets at a proxy's handler: its fields need not be private, which would cost a function more for each stub.
  declare private readonly node: Node;
  /** Stubs of members, which are asked for again and again. */
  declare private members: Map<string, object> | undefined;

  constructor(node: Node) {
    this.node = node;
    this.members = undefined;
  }

  apply(_kind: object, _this: unknown, args: unknown[]): object {
    const node = this.node;
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
      // What records calls has no settings, and tells that this cannot be recorded.
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
    // What `stub[Symbol.dispose]` asks for where the engine has no such symbol.
    if (name === 'undefined' && !Symbol.dispose) return () => this.dispose();
    if (name === 'dup' && lend !== undefined) return () => lend!(stub(kind, this.node));
    // One without a name: of an object whose class has one, what prints it for tests asks whether it is a part of a page.
    if (name === 'constructor') return FUNCTION;
    // A function by reference has these two, and no members elsewhere.
    if (kind === FUNCTION && Object.hasOwn(kind, name)) return Reflect.get(kind, name);
    this.members ??= new Map();
    if (this.members.size === MAX_MEMBERS) this.members.clear();
    const member = stub(MEMBER, { ...this.node, path: [...this.node.path, name], name });
    this.members.set(name, member);
    return member;
  }

  private dispose(): void {
    const { owner, base, path } = this.node;
    // A property that nobody has read is nothing to let go of.
    if (path.length > 0) return;
    if (base === undefined) (owner as StubSession).close();
    else base.dispose();
  }

  private promise(use: string): Promise<unknown> {
    const { base, path } = this.node;
    if (current !== undefined) throw current.misuse(this.node, use);
    // A path that nobody awaits is never read: reading begins here.
    const isResult = base instanceof Call && path.length === 0 && !(base.isStep && base.isKept);
    return (isResult ? base : begin(this.node, undefined, (this.node.owner as StubSession).observer)).promise();
  }
}

/** Makes a call, of which the observer is told. */
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

/** Goes through a result that is an async iterable, when it is there. */
export function iterate(result: Promise<unknown>): AsyncIterableIterator<unknown> {
  const opened = result.then((value) => (value as AsyncIterable<unknown>)[Symbol.asyncIterator]());
  opened.catch(() => {}); // whoever goes through it is told
  return {
    next: async () => (await opened).next(),
    return: async () => (await (await opened).return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
