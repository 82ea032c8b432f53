import { RpcError } from '@lumenize/rpc';
import {
  type AdaptedSession,
  type CallOut,
  declaredMember,
  isForbidden,
  isTarget,
  type OutsidePlace,
} from '@lumenize/rpc/adapter';
import { RpcPromise, RpcTarget } from 'capnweb';
import { type MessageAdmission, REFUSAL } from './admission.ts';

/** The part of a connection that passing values by reference needs. */
export interface Exchange {
  /** True if clients may call methods that are declared `exactlyOnce`. */
  readonly atMostOnce: boolean;
  readonly admission: MessageAdmission;
  readonly session: AdaptedSession;
  /** Largest number of references held at once. */
  readonly maxReferences: number;
  /** The error that the connection ends with, and the reason why calls fail; undefined while it is open. */
  readonly ended: RpcError | undefined;
  /**
   * Runs a call of the client: of a member, or of the receiver itself if there is no name. Without arguments, the member
   * is read. Returns the value that the client receives, or a promise of it.
   */
  run(receiver: object, name: string | undefined, args: unknown[] | undefined): unknown;
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
  const declared = isTarget(target) ? declaredMember(target, name) : undefined;
  if (declared?.getter !== undefined) {
    const read = exchange.run(target, name, undefined);
    // A session pipelines only on promises of its own kind.
    return read instanceof Promise ? new RpcPromise(read) : read;
  }
  if (declared?.delivery === 'once' && !exchange.atMostOnce) {
    throw exchange.session.refuse(onlyOnce(name), name);
  }
  const call = (...args: unknown[]) => exchange.run(target, name, args);
  // A forbidden call is refused when the member is read: otherwise a client that only reads it would get a function.
  return declared === undefined && isTarget(target) ? call() : bare(call);
}

/** Creates the function that Cap'n Web's session gets in place of a function of the server. */
// biome-ignore lint/complexity/noBannedTypes: any function will do
export function exposeFunction(value: Function, exchange: Exchange, release: () => void): object {
  const call = bare((...args) => exchange.run(value, undefined, args));
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

/** Calls what is at a place of the client, or reads it. What the client has passed on stays usable without `dup`. */
export function callOut(place: OutsidePlace, args: unknown[] | undefined, exchange: Exchange): CallOut {
  const callee = stubAt(place);
  // Converts all arguments together: if one cannot be sent, the client holds none of them.
  const pending = args === undefined ? (callee as Pending) : callee(...(exchange.give(args) as unknown[]));
  // Asks for the result at once, because a result that is not asked for stays with the client.
  return { pending, result: resultOf(pending, exchange) };
}

/** Returns the stub or promise of Cap'n Web that is at a place. */
export function stubAt({ of, path }: OutsidePlace): Callable {
  return path.reduce((at, name) => at[name] as Callable, of as Callable);
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
