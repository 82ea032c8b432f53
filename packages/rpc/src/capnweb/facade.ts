import { RpcPromise, RpcTarget } from 'capnweb';
import { RpcError } from '../errors/rpc-error.ts';
import type { RunningCall } from '../session/incoming/call-context.ts';
import { memberOf, NEVER } from '../session/incoming/declarations.ts';
import { callFunction, callMember, readMember } from '../session/incoming/members.ts';
import { isTarget } from '../session/references/by-reference.ts';
import { REFUSAL } from './admission.ts';
import type { Exchange } from './remote.ts';

/** The session of facades. */
export interface FacadeHost extends Exchange {
  /** True if methods may be called that are declared `exactlyOnce`. */
  readonly atMostOnce: boolean;
  readonly longest: { length: number };
  /** Runs a call of the client's: returns, or resolves to, what the client is to get. */
  run(name: string, args: unknown[], begin: (args: unknown[], call: RunningCall) => unknown): unknown;
  /** Notes that something was refused, and returns the error. */
  refused(error: RpcError, name: string): RpcError;
  /** Why the message that is being read was refused. */
  takeRefusal(): RpcError;
  /** Notes that the client gets a target or a function, once more. @throws {RpcError} `LIMIT_EXCEEDED` */
  holds(value: object): void;
  /** Notes that the client has let go of one, once. */
  letsGo(value: object): void;
}

class Facade extends RpcTarget {}

/**
 * Makes what Cap'n Web's session gets in place of a target: it has the members that the target's class declares, and runs
 * them as calls. One is made each time that a target is passed, so that each is disposed of once.
 */
export function exposeTarget(target: object, host: FacadeHost): object {
  const member = (name: string): unknown => {
    if (name === REFUSAL) {
      return () => {
        throw host.takeRefusal();
      };
    }
    if (name === OWN) return () => noteOwn(target);
    // A session asks for `dup` when it passes something on; a client's stub has one of its own, and never asks.
    if (NEVER.has(name) || name === 'dup') return undefined;
    const declared = isTarget(target) ? memberOf(target, name) : undefined;
    if (declared?.getter !== undefined) {
      const read = host.run(name, [], (_args, call) => readMember(target, name, call));
      // A session goes on from promises of its own kind only.
      return read instanceof Promise ? new RpcPromise(read) : read;
    }
    if (declared?.method === undefined && isTarget(target)) throw host.refused(notFound(name), name);
    if (declared?.delivery === 'exactlyOnce' && !host.atMostOnce) throw host.refused(onlyOnce(name), name);
    return bare((...args: unknown[]) => host.run(name, args, (given, call) => callMember(target, name, given, call)));
  };
  return new Proxy(new Facade(), {
    get: (_facade, name) => {
      if (name === Symbol.dispose) return () => host.letsGo(target);
      return typeof name === 'string' ? member(name) : undefined;
    },
    has: (_facade, name) => name === Symbol.dispose,
    getOwnPropertyDescriptor: () => undefined,
    ownKeys: () => [],
    set: () => false,
    defineProperty: () => false,
  });
}

/** Makes what the session gets in place of a function. */
// biome-ignore lint/complexity/noBannedTypes: any function will do
export function exposeFunction(value: Function, host: FacadeHost): object {
  const called = bare((...args: unknown[]) =>
    host.run('a function', args, (given, call) => callFunction(value, given, call)),
  );
  return Object.assign(called, { [OWN]: () => noteOwn(value), [Symbol.dispose]: () => host.letsGo(value) });
}

/** A session lets clients read what functions have of their own. */
function bare(call: (...args: unknown[]) => unknown): (...args: unknown[]) => unknown {
  delete (call as { name?: string }).name;
  delete (call as { length?: number }).length;
  return call;
}

function notFound(name: string): RpcError {
  const what = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
  const hint = 'only methods and getters declared in a class that extends RpcTarget can be reached';
  return new RpcError('METHOD_NOT_FOUND', `no remote method ${what}: ${hint}`);
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
