import { RpcError } from '../errors/rpc-error.ts';
import type { Call } from './call.ts';
import { NODE, type Node } from './node.ts';

/** What stubs ask of their session. */
export interface StubSession {
  /** Makes an operation; arguments are undefined for reading a property. Never throws: a failure is the call's outcome. */
  call(node: Node, args: unknown[] | undefined): Call;
  close(): void;
}

/** Makes the stub of a connection's target. */
export function rootStub(session: StubSession): object {
  return stub(ROOT, session, { owner: session, base: undefined, path: [], name: 'target' });
}

// What is behind the proxies says what kind of thing a stub is. All stubs share it, so that it cannot be changed.

const [ROOT, MEMBER, RESULT]: object[] = [
  // A target is an object, without properties to whoever inspects it.
  new (class RpcStub {})(),
  // A member may be a method.
  () => {},
  // A result is a promise, and no function: tools would call it.
  Object.create(Promise.prototype),
].map(Object.preventExtensions);

function stub(kind: object, session: StubSession, node: Node): object {
  return new Proxy(kind, new StubHandler(session, node));
}

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
    const { owner, name } = this.#node;
    return stub(RESULT, this.#session, { owner, base: this.#session.call(this.#node, args), path: [], name });
  }

  get(kind: object, key: string | symbol): unknown {
    const node = this.#node;
    if (key === NODE) return node;
    if (kind !== ROOT && (key === 'then' || key === 'catch' || key === 'finally')) return this.#promiseMethod(key);
    if (typeof key === 'string') {
      // `await stub` and `JSON.stringify(stub)` ask for these; a target is neither a promise nor data.
      return key === 'then' || key === 'toJSON' ? undefined : this.#member(key);
    }
    if (kind === ROOT && key === Symbol.dispose) return () => this.#session.close();
    if (key !== Symbol.toPrimitive) return undefined;
    return () => {
      if (kind === ROOT) return 'RpcStub';
      throw new RpcError('NOT_EXECUTED', `await ${node.name} first: it is remote`);
    };
  }

  #member(name: string): object {
    this.#members ??= new Map();
    let member = this.#members.get(name);
    if (member === undefined) {
      member = stub(MEMBER, this.#session, { ...this.#node, path: [...this.#node.path, name], name });
      this.#members.set(name, member);
    }
    return member;
  }

  #promiseMethod(method: 'then' | 'catch' | 'finally'): unknown {
    const node = this.#node;
    // A path that nobody awaits is never read: reading begins here.
    const call = node.base !== undefined && node.path.length === 0 ? node.base : this.#session.call(node, undefined);
    const promise = call.promise();
    return promise[method].bind(promise);
  }
}
