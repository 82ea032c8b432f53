import { RpcPromise, RpcTarget } from 'capnweb';
import { StubBase } from '#platform';
import { RpcError } from '../errors/rpc-error.ts';
import type { RunningCall } from '../session/incoming/call-context.ts';
import { memberOf, NEVER } from '../session/incoming/declarations.ts';
import { callFunction, callMember, readMember } from '../session/incoming/members.ts';
import type { Call } from '../session/outgoing/call.ts';
import type { Node } from '../session/outgoing/node.ts';
import { iterate, type StubSession, stub } from '../session/outgoing/stub.ts';
import { isTarget } from '../session/references/by-reference.ts';
import type { Holders } from '../session/references/holders.ts';
import { Reference } from '../session/references/reference.ts';
import { type MessageAdmission, REFUSAL } from './admission.ts';

/** A connection, as what is exchanged by reference over it sees it. */
export interface Exchange {
  /** True if methods may be called that are declared `exactlyOnce`. */
  readonly atMostOnce: boolean;
  readonly admission: MessageAdmission;
  /** Targets and functions of the server that the client holds. */
  readonly exports: Holders;
  /** Largest number of references held at once. */
  readonly maxReferences: number;
  /** Stubs of what the client has passed. */
  readonly stubs: ClientStubs;
  /** Error that explains why nobody answers any more; undefined while the connection lives. */
  readonly ended: RpcError | undefined;
  /** Runs a call of the client's: returns, or resolves to, what the client is to get. */
  run(name: string, args: unknown[], begin: (args: unknown[], call: RunningCall) => unknown): unknown;
  /** Converts a value on its way to the client. */
  give(argument: unknown): unknown;
  /** Converts a value that comes from the client. */
  take(value: unknown): unknown;
}

// What the client gets in place of what is the server's.

class Facade extends RpcTarget {}

/**
 * Makes what Cap'n Web's session gets in place of a target: it has the members that the target's class declares, and runs
 * them as calls. One is made each time that a target is passed, so that each is disposed of once, by `release`.
 */
export function exposeTarget(target: object, exchange: Exchange, release: () => void): object {
  return new Proxy(Object.freeze(new Facade()), {
    get: (_facade, name) => {
      if (name === Symbol.dispose) return release;
      return typeof name === 'string' ? exposeMember(target, name, exchange) : undefined;
    },
    has: (_facade, name) => name === Symbol.dispose,
  });
}

function exposeMember(target: object, name: string, exchange: Exchange): unknown {
  if (name === REFUSAL) {
    return () => {
      throw exchange.admission.refusal ?? new RpcError('METHOD_NOT_FOUND', 'there is nothing of that name');
    };
  }
  if (name === OWN) return () => noteOwn(target);
  // A session asks for `dup` when it passes something on; a client's stub has one of its own, and never asks.
  if (NEVER.has(name) || name === 'dup') return undefined;
  const declared = isTarget(target) ? memberOf(target, name) : undefined;
  if (declared?.getter !== undefined) {
    const read = exchange.run(name, [], (_args, call) => readMember(target, name, call));
    // A session goes on from promises of its own kind only.
    return read instanceof Promise ? new RpcPromise(read) : read;
  }
  const isOnce = declared?.delivery === 'exactlyOnce' && !exchange.atMostOnce;
  const call = (...args: unknown[]) =>
    exchange.run(name, args, (given, running) => {
      if (isOnce) throw onlyOnce(name);
      return callMember(target, name, given, running);
    });
  // What may not be called is refused at once: who only read it would get a function.
  return isOnce || (declared === undefined && isTarget(target)) ? call() : bare(call);
}

/** Makes what the session gets in place of a function. */
// biome-ignore lint/complexity/noBannedTypes: any function will do
export function exposeFunction(value: Function, exchange: Exchange, release: () => void): object {
  const call = bare((...args) =>
    exchange.run('a function', args, (given, running) => callFunction(value, given, running)),
  );
  return Object.assign(call, { [OWN]: () => noteOwn(value), [Symbol.dispose]: release });
}

/** A session lets clients read what functions have of their own. */
function bare(call: (...args: unknown[]) => unknown): (...args: unknown[]) => unknown {
  delete (call as { name?: string }).name;
  delete (call as { length?: number }).length;
  return call;
}

function onlyOnce(name: string): RpcError {
  const message = `${name}() is declared exactlyOnce, which a Cap'n Web client cannot ask for`;
  return new RpcError(
    'DENIED',
    `${message}: connect with '@lumenize/rpc', or let the server say capnWeb({ atMostOnce: true })`,
  );
}

/** The member by which a facade tells what it stands for: to the server only, since a client gets nothing from it. */
const OWN = '~own';

let found: object | undefined;

/** Called by the facade that is asked. */
function noteOwn(target: object): void {
  found = target;
}

/** Returns what of our own stands behind a reference that has come back; undefined where that is not known. */
export function ownOf(reference: object): object | undefined {
  found = undefined;
  const asked = (reference as Record<string, () => PromiseLike<unknown> & Disposable>)[OWN]();
  // A facade that is there is asked at once; what it answers to the call is nothing.
  asked.then(
    () => {},
    () => {},
  );
  const own = found;
  found = undefined;
  return own;
}

// What the server's code gets in place of what is the client's.

interface Callable {
  (...args: unknown[]): Pending;
  readonly [name: string]: unknown;
}
/** A stub of Cap'n Web's, as far as it matters here: whatever it stands for is for the application to say. */
export type Stub = Callable & { dup(): Stub };
/** A promise of Cap'n Web: of a result, or of a member. */
type Pending = Callable & PromiseLike<unknown>;

/** Behind stubs of what a client has passed: the platform passes on functions without members, and targets with them; this may be either. */
const EITHER = Object.preventExtensions(Object.setPrototypeOf(() => {}, StubBase.prototype));

/**
 * Collects stubs that nothing refers to any more. Without it, what the server's code does not dispose of is held until the
 * connection ends. A Worker may not send when garbage collection calls.
 */
const COLLECTED =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry<{ stub: Stub; collected: Stub[] }>(({ stub, collected }) => void collected.push(stub));

/**
 * Gives the server's code stubs of the library's own for what a client has passed by reference, whose calls Cap'n Web's session
 * makes. Unlike its own they can be kept and called as long as the connection lasts, without being duplicated.
 */
export class ClientStubs implements StubSession {
  readonly observer = undefined;
  readonly description = undefined;
  readonly unsentBytes = 0;
  readonly messageBytes = 0;
  readonly settings = { tables: { iterate } };
  readonly #exchange: Exchange;
  /** References and calls, as Cap'n Web has them. */
  readonly #behind = new WeakMap<object, Callable>();
  /** Stubs that the server's code has let go of without saying so. */
  readonly #collected: Stub[] = [];

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Makes a stub, which takes ownership of Cap'n Web's. `Symbol.dispose` or garbage collection lets go of it. */
  stubOf(given: Stub): object {
    const base = new Reference(0, 'target or function', this);
    this.#behind.set(base, given);
    COLLECTED?.register(base, { stub: given, collected: this.#collected }, base);
    return stub(EITHER, { owner: this, base, path: [], name: base.name, options: undefined });
  }

  /** Returns the stub, or the promise, of Cap'n Web that a node stands for. */
  behind({ base, path }: Node): Callable {
    return path.reduce((at, name) => at[name] as Callable, this.#behind.get(base!)!);
  }

  /** Makes a call. Its result is asked for at once, so that the client need not keep what nobody waits for. */
  call(call: Call, node: Node, args: unknown[] | undefined): void {
    try {
      if (node.base instanceof Reference) node.base.address();
      const callee = this.behind(node);
      // All at once: where one cannot be sent, none is held by the client.
      const made = args === undefined ? (callee as Pending) : callee(...(this.#exchange.give(args) as unknown[]));
      this.#behind.set(call, made);
      settled(made, this.#exchange).then(
        (value) => call.settle({ ok: true, value }),
        (error) => call.fail(error),
      );
    } catch (error) {
      call.fail(error);
    }
  }

  release(reference: Reference): void {
    COLLECTED?.unregister(reference);
    disposeOf(this.#behind.get(reference));
  }

  /** Lets go of what garbage collection has found: when something arrives, so that a Worker may send. */
  releaseCollected(): void {
    for (const stub of this.#collected.splice(0)) disposeOf(stub);
  }

  close(): void {}

  onError(): void {}
}

async function settled(of: Pending, exchange: Exchange): Promise<unknown> {
  const wasLost = exchange.ended !== undefined;
  let value: unknown;
  try {
    value = await of;
  } catch (error) {
    throw error instanceof RpcError && error === exchange.ended ? lossOf(error, wasLost) : error;
  }
  const taken = exchange.take(value);
  // What is by reference in it has been duplicated, or is the value itself.
  disposeOf(value);
  return taken;
}

/** Makes the error of a call for the end of its connection: Cap'n Web's session has the same error for those that were sent before. */
function lossOf(reason: RpcError, wasLost: boolean): RpcError {
  return wasLost
    ? new RpcError('REFERENCE_LOST', `its client is gone: ${reason.message}`)
    : new RpcError('OUTCOME_UNKNOWN', `it may have run: ${reason.message}`, { cause: reason });
}

/** Lets go of something of Cap'n Web's, where it is to be let go of. */
export function disposeOf(value: unknown): void {
  (value as Partial<Disposable> | null | undefined)?.[Symbol.dispose]?.();
}
