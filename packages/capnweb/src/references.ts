import { RpcPromise, RpcTarget } from 'capnweb';
import { StubBase } from '#platform';
import { RpcError } from '../errors/rpc-error.ts';
import type { RunningCall } from '../session/incoming/call-context.ts';
import { isForbidden, memberOf } from '../session/incoming/declarations.ts';
import { callFunction, callMember, readMember } from '../session/incoming/members.ts';
import type { Call } from '../session/outgoing/call.ts';
import type { Node } from '../session/outgoing/node.ts';
import { iterate, type StubSession, stub } from '../session/outgoing/stub.ts';
import { isTarget } from '../session/references/by-reference.ts';
import type { Holders } from '../session/references/holders.ts';
import { Reference } from '../session/references/reference.ts';
import { type MessageAdmission, REFUSAL } from './admission.ts';

/** The part of a connection that passing values by reference needs. */
export interface Exchange {
  /** True if clients may call methods that are declared `exactlyOnce`. */
  readonly atMostOnce: boolean;
  readonly admission: MessageAdmission;
  /** Targets and functions of the server that the client holds. */
  readonly exports: Holders;
  /** Largest number of references held at once. */
  readonly maxReferences: number;
  /** Stubs of the targets and functions that the client has passed. */
  readonly stubs: ClientStubs;
  /** The error that the connection ends with, and the reason why calls fail; undefined while it is open. */
  readonly ended: RpcError | undefined;
  /** Runs a call of the client. Returns the value that the client receives, or a promise of it. */
  run(name: string, args: unknown[], begin: (args: unknown[], call: RunningCall) => unknown): unknown;
  /** Converts a value that is sent to the client. */
  give(argument: unknown): unknown;
  /** Converts a value that was received from the client. */
  take(value: unknown): unknown;
}

// Objects that the client gets in place of the server's targets and functions.

class Facade extends RpcTarget {}

/**
 * Creates the object that Cap'n Web's session gets in place of a target. It has the members that the target's class
 * declares, and runs them as calls. A new object is created each time that a target is passed, so that each is disposed
 * of once, with `release`.
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
  // A session asks for `dup` when it passes a reference on. A client's stub has a `dup` of its own and never asks.
  if (isForbidden(name) || name === 'dup') return undefined;
  const declared = isTarget(target) ? memberOf(target, name) : undefined;
  if (declared?.getter !== undefined) {
    const read = exchange.run(name, [], (_args, call) => readMember(target, name, call));
    // A session pipelines only on promises of its own kind.
    return read instanceof Promise ? new RpcPromise(read) : read;
  }
  const isOnce = declared?.delivery === 'exactlyOnce' && !exchange.atMostOnce;
  const call = (...args: unknown[]) =>
    exchange.run(name, args, (given, running) => {
      if (isOnce) throw onlyOnce(name);
      return callMember(target, name, given, running);
    });
  // A forbidden call is refused when the member is read: otherwise a client that only reads it would get a function.
  return isOnce || (declared === undefined && isTarget(target)) ? call() : bare(call);
}

/** Creates the function that Cap'n Web's session gets in place of a function of the server. */
// biome-ignore lint/complexity/noBannedTypes: any function will do
export function exposeFunction(value: Function, exchange: Exchange, release: () => void): object {
  const call = bare((...args) =>
    exchange.run('a function', args, (given, running) => callFunction(value, given, running)),
  );
  return Object.assign(call, { [OWN]: () => noteOwn(value), [Symbol.dispose]: release });
}

/** Deletes the own properties of a function, which a session would let clients read. Returns the function. */
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

/** The member by which a facade reveals the original to the server. A client that calls it gets nothing. */
const OWN = '~own';

let found: object | undefined;

/** Called by the facade whose original `originalOf` asks for. */
function noteOwn(target: object): void {
  found = target;
}

/** Returns the server's own target or function behind a reference that the client sent back; undefined if unknown. */
export function originalOf(reference: object): object | undefined {
  found = undefined;
  const asked = (reference as Record<string, () => PromiseLike<unknown> & Disposable>)[OWN]();
  // A facade on this side runs the call at once. The result of the call is not needed.
  asked.then(
    () => {},
    () => {},
  );
  const own = found;
  found = undefined;
  return own;
}

// Objects that the server's code gets in place of the client's targets and functions.

interface Callable {
  (...args: unknown[]): Pending;
  readonly [name: string]: unknown;
}
/** A stub of Cap'n Web, with the members that are needed here. Only the application knows its type. */
export type Stub = Callable & { dup(): Stub };
/** A promise of Cap'n Web, of a result or of a member. */
type Pending = Callable & PromiseLike<unknown>;

/**
 * The proxy target of stubs for values that a client has passed. The platform passes on functions without their
 * members, and targets with them. Such a value may be either, so this is a function with the prototype of targets.
 */
const EITHER = Object.preventExtensions(Object.setPrototypeOf(() => {}, StubBase.prototype));

/**
 * Collects the Cap'n Web stubs whose library stubs were garbage collected. They are released later, because a Worker
 * may not send during garbage collection. Without it, a stub that the server's code does not dispose of is held until
 * the connection ends.
 */
const COLLECTED =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry<{ stub: Stub; collected: Stub[] }>(({ stub, collected }) => void collected.push(stub));

/**
 * Provides stubs of this library for the targets and functions that a client has passed. Cap'n Web's session makes
 * their calls. Unlike the session's own stubs, they can be kept and called as long as the connection lasts, without
 * `dup`.
 */
export class ClientStubs implements StubSession {
  readonly observer = undefined;
  readonly description = undefined;
  readonly unsentBytes = 0;
  readonly messageBytes = 0;
  readonly settings = { tables: { iterate } };
  readonly #exchange: Exchange;
  /** The stubs and promises of Cap'n Web, by the references and calls of this library that stand for them. */
  readonly #behind = new WeakMap<object, Callable>();
  /** Stubs of Cap'n Web that nothing on this side refers to any more, and that are not released yet. */
  readonly #collected: Stub[] = [];

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Creates a stub that owns the given Cap'n Web stub. `Symbol.dispose` or garbage collection releases it. */
  stubOf(given: Stub): object {
    const base = new Reference(0, 'target or function', this);
    this.#behind.set(base, given);
    COLLECTED?.register(base, { stub: given, collected: this.#collected }, base);
    return stub(EITHER, { owner: this, base, path: [], name: base.name, options: undefined });
  }

  /** Returns the Cap'n Web stub or promise that a node stands for. */
  behind({ base, path }: Node): Callable {
    return path.reduce((at, name) => at[name] as Callable, this.#behind.get(base!)!);
  }

  /** Makes a call. Asks for its result at once, because a result that is not asked for stays with the client. */
  call(call: Call, node: Node, args: unknown[] | undefined): void {
    try {
      if (node.base instanceof Reference) node.base.address();
      const callee = this.behind(node);
      // Converts all arguments together: if one cannot be sent, the client holds none of them.
      const made = args === undefined ? (callee as Pending) : callee(...(this.#exchange.give(args) as unknown[]));
      this.#behind.set(call, made);
      resultOf(made, this.#exchange).then(
        (value) => call.settle({ ok: true, value }),
        (error) => call.fail(error),
      );
    } catch (error) {
      call.fail(error);
    }
  }

  release(reference: Reference): boolean {
    COLLECTED?.unregister(reference);
    disposeOf(this.#behind.get(reference));
    return true;
  }

  /**
   * Releases the stubs that garbage collection found. Called when a message arrives, because a Worker may send then.
   */
  releaseCollected(): void {
    for (const stub of this.#collected.splice(0)) disposeOf(stub);
  }

  close(): void {}

  onError(): void {}
}

async function resultOf(of: Pending, exchange: Exchange): Promise<unknown> {
  const wasLost = exchange.ended !== undefined;
  let value: unknown;
  try {
    value = await of;
  } catch (error) {
    throw error instanceof RpcError && error === exchange.ended ? endedError(error, wasLost) : error;
  }
  const taken = exchange.take(value);
  // `take` has duplicated every reference in the value, or the value itself if it is a reference.
  disposeOf(value);
  return taken;
}

/**
 * Creates the error of a call whose connection has ended. Cap'n Web's session uses the same error for calls that were
 * sent before the end and for later ones.
 */
function endedError(reason: RpcError, wasLost: boolean): RpcError {
  return wasLost
    ? new RpcError('REFERENCE_LOST', `the connection to what this stub stood for is gone: ${reason.message}`)
    : new RpcError('OUTCOME_UNKNOWN', `it may have run: ${reason.message}`, { cause: reason });
}

/** Disposes of a value of Cap'n Web, if it can be disposed of. */
export function disposeOf(value: unknown): void {
  (value as Partial<Disposable> | null | undefined)?.[Symbol.dispose]?.();
}
