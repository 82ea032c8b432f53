import { lend, StubBase } from '#platform';
import { RpcError } from '../../errors/rpc-error.ts';
import type { ObservedSession } from '../observe/observer.ts';
import type { Reference } from '../references/reference.ts';
import { Call } from './call.ts';
import { type CallOptions, NODE, type Node } from './node.ts';
import { currentRecorder, withRecording } from './recorder.ts';

/** What stubs ask of their session. */
export interface StubSession extends ObservedSession {
  /** Whether the other side runs recorded callbacks. */
  readonly peerMaps: boolean;
  /** Makes an operation; arguments are undefined for reading a property. Never throws: a failure is the call's outcome. */
  call(node: Node, args: unknown[] | undefined): Call;
  readonly outgoing: {
    /** Lets go of the result of a call that nobody is interested in any more. */
    disposeResult(call: Call): void;
    /** Says where the operation being written finds what a stub stands for. */
    address(node: Node): number;
  };
  close(): void;
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
 * What tools ask any value for, and would call or wait for: promises and JSON, matchers of tests, and well-known symbols as they
 * were before there were symbols, such as `@@iterator`.
 */
const LOCAL = /^(then|toJSON|asymmetricMatch|_isMockFunction|@@.*)$/s;

/** So many stubs of members are kept: names that are data, such as ids of rooms, may be any number. */
const MAX_MEMBERS = 1000;

const ROOT = { base: undefined, path: [], name: 'target', options: undefined };

/** Makes the stub of a connection's target. */
export function rootStub(session: StubSession): object {
  return stub(TARGET, session, { ...ROOT, owner: session });
}

/** Makes the stub of a target or function on the other side. */
export function referenceStub(session: StubSession, reference: Reference): object {
  const kind = reference.name === 'function' ? FUNCTION : TARGET;
  return stub(kind, session, { owner: session, base: reference, path: [], name: reference.name, options: undefined });
}

/** Returns a stub like another one of the session, for calls with other options. */
export function stubWithOptions(session: StubSession, node: Node, isFunction: boolean, options: CallOptions): object {
  let kind = TARGET;
  if (node.path.length > 0) kind = MEMBER;
  else if (node.base instanceof Call) kind = RESULT;
  else if (isFunction) kind = FUNCTION;
  return stub(kind, session, { ...node, options: { ...node.options, ...options } });
}

function stub(kind: object, session: StubSession, node: Node): object {
  return new Proxy(kind, new StubHandler(session, node));
}

/** What compilers make of `using` asks for, where the engine has no symbol of its own. */
const COMPILED_DISPOSE = Symbol.for('Symbol.dispose');

class StubHandler implements ProxyHandler<object> {
  readonly #session: StubSession;
  readonly #node: Node;
  /** Stubs of members, which are asked for again and again. */
  #members: Map<string, object> | undefined;

  constructor(session: StubSession, node: Node) {
    this.#session = session;
    this.#node = node;
  }

  apply(_kind: object, _this: unknown, args: unknown[]): object {
    const node = this.#node;
    const recorder = currentRecorder();
    if (recorder !== undefined) return recorder.recordCall(node, args);
    const { owner, name, options } = node;
    const session = this.#session;
    return stub(RESULT, session, { owner, base: this.#call(node, args), path: [], name, options });
  }

  #call(node: Node, args: unknown[] | undefined): Call {
    const { observer } = this.#session;
    if (observer === undefined) return this.#make(node, args);
    return observer.outgoing(this.#session, node, args, (observed) => this.#make(observed, args));
  }

  #make(node: Node, args: unknown[] | undefined): Call {
    const session = this.#session;
    const isRecorded = args !== undefined && session.peerMaps;
    return session.call(node, isRecorded ? withRecording(session, node, args) : args);
  }

  get(kind: object, key: string | symbol): unknown {
    const node = this.#node;
    if (key === NODE) return node;
    const isPromise = kind === MEMBER || kind === RESULT;
    if (isPromise && (key === 'then' || key === 'catch' || key === 'finally')) return this.#promiseMethod(key);
    if (typeof key === 'string') return this.#members?.get(key) ?? this.#member(kind, key);
    if (key === Symbol.dispose || key === COMPILED_DISPOSE) return () => this.#dispose();
    if (key === Symbol.asyncIterator && isPromise) return () => iterate(this.#promise('be iterated'));
    if (key === Symbol.toStringTag) return Reflect.get(kind, key);
    if (key !== Symbol.toPrimitive) return undefined;
    return () => {
      if (!isPromise) return 'RpcStub';
      throw new RpcError('NOT_EXECUTED', `await ${node.name} first: it is remote`);
    };
  }

  #member(kind: object, name: string): unknown {
    if (LOCAL.test(name)) return undefined;
    // What `stub[Symbol.dispose]` asks for where the engine has no such symbol.
    if (name === 'undefined' && !Symbol.dispose) return () => this.#dispose();
    if (name === 'dup' && lend !== undefined) return () => lend!(stub(kind, this.#session, this.#node));
    // One without a name: of an object whose class has one, what prints it for tests asks whether it is a part of a page.
    if (name === 'constructor') return FUNCTION;
    // A function by reference has these two, and no members elsewhere.
    if (kind === FUNCTION && Object.hasOwn(kind, name)) return Reflect.get(kind, name);
    this.#members ??= new Map();
    if (this.#members.size === MAX_MEMBERS) this.#members.clear();
    const member = stub(MEMBER, this.#session, { ...this.#node, path: [...this.#node.path, name], name });
    this.#members.set(name, member);
    return member;
  }

  #dispose(): void {
    const { base, path } = this.#node;
    // A property that nobody has read is nothing to let go of.
    if (path.length > 0) return;
    if (base === undefined) this.#session.close();
    else if (base instanceof Call) this.#session.outgoing.disposeResult(base);
    else base.dispose();
  }

  #promiseMethod(method: 'then' | 'catch' | 'finally'): unknown {
    const promise = this.#promise('be awaited');
    return promise[method].bind(promise);
  }

  #promise(use: string): Promise<unknown> {
    const node = this.#node;
    const { base } = node;
    const misuse = currentRecorder()?.misuse(node, use);
    if (misuse !== undefined) throw misuse;
    // A path that nobody awaits is never read: reading begins here.
    const isResult = base instanceof Call && node.path.length === 0 && !base.made.isKept;
    return (isResult ? base : this.#call(node, undefined)).promise();
  }
}

/** Goes through a result that is an async iterable, when it is there. */
function iterate(result: Promise<unknown>): AsyncIterableIterator<unknown> {
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
