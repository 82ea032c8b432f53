import { lend, StubBase } from '#platform';
import { RpcError } from '../errors/rpc-error.ts';

/** A stub of Cap'n Web's, as far as it matters here: whatever it stands for is for the application to say. */
export type Stub = Callable & { dup(): Stub };
/** A promise of Cap'n Web: of a result, or of a member. */
type Pending = Callable & PromiseLike<unknown>;
interface Callable {
  (...args: unknown[]): Pending;
  readonly [name: string]: unknown;
}

/** Converts values on their way to a client, and from it. */
export interface Exchange {
  give(argument: unknown): unknown;
  take(value: unknown): unknown;
  /** Stubs that the server's code has let go of without saying so: they are disposed of when something arrives next. */
  readonly collected: Stub[];
  /** Why there is nobody left who would answer; undefined as long as there is. */
  readonly ended: RpcError | undefined;
}

/** The stubs of Cap'n Web behind what the server's code has. */
const STUBS = new WeakMap<object, Stub>();
const PENDING = new WeakSet<object>();

/** The stub of Cap'n Web behind something that a client has passed by reference; undefined where it is none. */
export function stubBehind(value: object): Stub | undefined {
  return STUBS.get(value);
}

/** Returns true if a value is the result of a call of the client's, which is no promise of the language's own. */
export function isPending(value: object): value is PromiseLike<unknown> {
  return PENDING.has(value);
}

/**
 * Where there is none, what the server's code does not dispose of is held until the connection ends. A Worker may not send when
 * garbage collection calls.
 */
const COLLECTED =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry<{ stub: Stub; collected: Stub[] }>(({ stub, collected }) => void collected.push(stub));

/**
 * Makes what the server's code gets for something that a client has passed by reference. Unlike a stub of Cap'n Web it can be
 * kept and called as long as the connection lasts, without being duplicated; `Symbol.dispose` or garbage collection lets go of
 * it. It takes ownership of the stub.
 */
export function remoteOf(stub: Stub, exchange: Exchange): object {
  const made: object = new Proxy(bare, {
    ...LOCKED,
    apply: (_bare, _this, args) => called(stub, args, exchange),
    get(_bare, name) {
      if (name === Symbol.dispose) {
        return () => {
          COLLECTED?.unregister(made);
          disposeOf(stub);
        };
      }
      if (typeof name !== 'string' || name === 'then') return undefined;
      if (name === 'dup' && lend !== undefined) return () => lend!(made);
      return memberOf(stub[name] as Pending, exchange, made);
    },
  });
  STUBS.set(made, stub);
  COLLECTED?.register(made, { stub, collected: exchange.collected }, made);
  return made;
}

/** A call that has been made. Its result is asked for at once, so that the client need not keep what nobody waits for. */
function called(callee: Stub | Pending, args: unknown[], exchange: Exchange): object {
  let given: unknown[];
  try {
    // All at once: where one cannot be sent, none is held by the client.
    given = exchange.give(args) as unknown[];
  } catch (error) {
    const refused = Promise.reject(error);
    refused.catch(() => {});
    return refused;
  }
  const pending: Pending = callee(...given);
  const result = settled(pending, exchange);
  // Who does not wait for it does not want to know.
  result.catch(() => {});
  return pendingOf(pending, () => result, exchange, undefined);
}

/** A member, which may be called, read by waiting for it, or gone on from. `owner` is kept for as long as it is there. */
function memberOf(pending: Pending, exchange: Exchange, owner: object): object {
  let result: Promise<unknown> | undefined;
  const read = () => {
    result ??= settled(pending, exchange);
    return result;
  };
  return pendingOf(pending, read, exchange, owner);
}

function pendingOf(
  pending: Pending,
  result: () => Promise<unknown>,
  exchange: Exchange,
  owner: object | undefined,
): object {
  const handler = {
    ...LOCKED,
    owner,
    apply: (_bare: object, _this: unknown, args: unknown[]) => called(pending, args, exchange),
    get(_bare: object, name: string | symbol): unknown {
      if (name === 'then' || name === 'catch' || name === 'finally') {
        const promise = result();
        return promise[name].bind(promise);
      }
      if (name === 'dup' && lend !== undefined) return () => lend!(made);
      return typeof name === 'string' ? memberOf(pending[name] as Pending, exchange, made) : undefined;
    },
  };
  const made: object = new Proxy(bare, handler);
  PENDING.add(made);
  return made;
}

async function settled(pending: Pending, exchange: Exchange): Promise<unknown> {
  const wasLost = exchange.ended !== undefined;
  let value: unknown;
  try {
    value = await pending;
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

function bare(): void {}

const LOCKED: ProxyHandler<() => void> = {
  // The platform passes on functions without their members, and targets with them: this may be either.
  getPrototypeOf: () => StubBase.prototype,
  set: () => false,
  defineProperty: () => false,
  has: (_bare, name) => name === Symbol.dispose,
};
