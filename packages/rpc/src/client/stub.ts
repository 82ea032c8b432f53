import { RpcError } from '../errors/rpc-error.ts';
import type { Call } from './call.ts';
import { NODE, type Node } from './node.ts';

/** What stubs ask of their session. */
export interface StubSession {
  /** Makes an operation; arguments are undefined for reading a property. Never throws: a failure is the call's outcome. */
  call(node: Node, args: unknown[] | undefined): Call;
  close(): void;
}

/** The methods of a promise that a stub answers itself. */
const PROMISE_METHODS = new Set<string | symbol>(['then', 'catch', 'finally']);

/** Makes the stub of a connection's target. */
export function rootStub(session: StubSession): object {
  return new Proxy(new RpcStub(), new RootHandler(session));
}

/** What a root stub looks like to debuggers and to code that inspects it: an object without properties. */
class RpcStub {}

/** Behind every member's stub: it can be called. What it stands for is in the handler. */
const MEMBER = () => {};

/** Behind every result's stub: a promise to whoever asks what it is, and no function, which tools would call. */
const RESULT: object = Object.create(Promise.prototype);

/** Refuses all that would change a stub or the object behind the proxy, which stubs share. */
class ReadOnlyHandler {
  set(): boolean {
    return false;
  }
  defineProperty(): boolean {
    return false;
  }
  deleteProperty(): boolean {
    return false;
  }
  setPrototypeOf(): boolean {
    return false;
  }
  preventExtensions(): boolean {
    return false;
  }
}

class RootHandler extends ReadOnlyHandler implements ProxyHandler<object> {
  readonly #session: StubSession;
  readonly #node: Node;
  /** Stubs of the target's members, which are asked for again and again. */
  readonly #members = new Map<string, object>();

  constructor(session: StubSession) {
    super();
    this.#session = session;
    this.#node = { owner: session, base: undefined, path: [], name: 'the target' };
  }

  get(_target: object, key: string | symbol): unknown {
    if (typeof key === 'string') {
      // `await stub` and `JSON.stringify(stub)` ask for these; a stub is neither a promise nor data.
      if (key === 'then' || key === 'toJSON') return undefined;
      let member = this.#members.get(key);
      if (member === undefined) {
        member = memberStub(this.#session, { owner: this.#session, base: undefined, path: [key], name: key });
        this.#members.set(key, member);
      }
      return member;
    }
    if (key === NODE) return this.#node;
    if (key === Symbol.dispose) return () => this.#session.close();
    if (key === Symbol.toPrimitive) return () => '[object RpcStub]';
    return undefined;
  }
}

/** Makes the stub of a member, not read yet: it can be called, read from, and awaited. */
function memberStub(session: StubSession, node: Node): object {
  return new Proxy<object>(MEMBER, new RemoteHandler(session, node));
}

/** Makes the stub of a call's result: it can be read from and awaited. */
function resultStub(session: StubSession, node: Node): object {
  return new Proxy<object>(RESULT, new RemoteHandler(session, node));
}

class RemoteHandler extends ReadOnlyHandler implements ProxyHandler<object> {
  readonly #session: StubSession;
  readonly #node: Node;

  constructor(session: StubSession, node: Node) {
    super();
    this.#session = session;
    this.#node = node;
  }

  apply(_target: unknown, _this: unknown, args: unknown[]): object {
    const call = this.#session.call(this.#node, args);
    return resultStub(this.#session, { owner: this.#session, base: call, path: [], name: this.#node.name });
  }

  get(_target: unknown, key: string | symbol): unknown {
    const node = this.#node;
    if (PROMISE_METHODS.has(key)) return this.#promiseMethod(key as keyof Promise<unknown>);
    if (typeof key === 'string') {
      if (key === 'toJSON') return undefined;
      return memberStub(this.#session, { owner: node.owner, base: node.base, path: [...node.path, key], name: key });
    }
    if (key === NODE) return node;
    if (key === Symbol.toPrimitive) {
      return () => {
        throw new RpcError('NOT_EXECUTED', `${node.name} is remote: await it before using its value`);
      };
    }
    return undefined;
  }

  #promiseMethod(method: keyof Promise<unknown>): unknown {
    const node = this.#node;
    // A path that nobody awaits is never read: reading begins here.
    const call = node.base !== undefined && node.path.length === 0 ? node.base : this.#session.call(node, undefined);
    const promise = call.promise();
    return (promise[method] as (...args: unknown[]) => unknown).bind(promise);
  }
}
