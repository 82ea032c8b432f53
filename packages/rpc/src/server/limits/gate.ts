import { RpcError } from '../../errors/rpc-error.ts';
import { exceeded } from '../../protocol/errors.ts';
import type { CallFrame } from '../../protocol/operation.ts';
import { type Bounds, type Effort, overloaded, type Waiting } from '../../session/admission.ts';
import { isReadOnlyMethod } from '../../session/data-members.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import { noteRefused } from '../../session/incoming/thrown.ts';
import type { Rates, TokenBucket } from './rates.ts';

/**
 * Number of frames refused in a row for exceeding a rate, after which the connection ends. Clients of this library wait
 * for the time in the refusal.
 */
const MAX_TOO_FAST = 100;

/**
 * Number of operations beyond those of the frame itself that count as one of them. An operation of the frame costs more
 * to handle.
 */
const OPERATIONS_A_CHARGE = 10;

/**
 * Number of elements that count as one operation when a method of a list reads or copies them. Other methods, such as
 * `at`, read only one element.
 */
const ELEMENTS_AN_OPERATION: ReadonlyMap<unknown, number> = new Map([
  ['includes', 100],
  ['indexOf', 100],
  ['slice', 10],
  ['join', 10],
]);
const CHARACTERS_AN_OPERATION = 10;

/**
 * The largest text that `join` may make, in characters. A short list and a long separator could ask for a text of any
 * length.
 */
const MAX_JOINED_LENGTH = 1_048_576;

/**
 * Bounds the requests of one client: the memory of its frames, its rate of calls, and the work of its frames beyond
 * their operations.
 */
export class Gate implements Bounds {
  readonly #waiting: Waiting;
  readonly #rates: Rates;
  readonly #endTooFast: (error: RpcError) => void;
  /** The bucket of the connection alone; undefined if it has no limit. */
  readonly #own: TokenBucket | undefined;
  /** The caller, until the name below is known. */
  #unnamed: Caller | undefined;
  /** The name of the bucket that the connection shares with others. */
  #name: string | undefined;
  /** Number of frames in a row that came too fast. */
  #tooFast = 0;

  /** `endTooFast` ends the connection of a client that continues to call too fast after many refusals. */
  constructor(waiting: Waiting, rates: Rates, caller: Caller | undefined, endTooFast: (error: RpcError) => void) {
    this.#waiting = waiting;
    this.#rates = rates;
    this.#own = rates.open();
    this.#unnamed = caller;
    this.#endTooFast = endTooFast;
  }

  /** Takes the operations of a frame. Returns the error if its calls may not run, undefined if they may. */
  admit({ cost, charge }: CallFrame): RpcError | undefined {
    const { bytes, max } = this.#waiting;
    // Operations for which there is no memory count as well: reading them has taken time.
    const refusal = this.take(charge);
    // A frame may run if nothing else waits, whatever its size: messages have limits of their own.
    if (refusal !== undefined || bytes === 0 || bytes + cost <= max) return refusal;
    return overloaded(`maxBytesInFlight of ${max}`);
  }

  /** Takes operations from the buckets. Returns the error if they may not run, and then takes none. */
  take(operations: number): RpcError | undefined {
    try {
      // Not earlier, so that the error reaches calls.
      if (this.#unnamed !== undefined) this.renew(this.#unnamed)();
    } catch (defect) {
      return noteRefused(new RpcError('NOT_EXECUTED', 'rateLimits.identity.by failed'), { defect });
    }
    const now = Date.now();
    const shared = this.#name === undefined ? undefined : this.#rates.named(this.#name, now);
    const ownMs = this.#own?.take(operations, now) ?? 0;
    const sharedMs = shared?.take(operations, now) ?? 0;
    const retryAfterMs = Math.max(ownMs, sharedMs);
    let error: RpcError | undefined;
    if (retryAfterMs > 0) {
      if (ownMs === 0) this.#own?.charge(-operations);
      if (sharedMs === 0) shared?.charge(-operations);
      error = rateError(ownMs >= sharedMs ? 'connection' : 'identity', operations, retryAfterMs);
    }
    if (error === undefined) this.#tooFast = 0;
    // The microtask runs after the answer to this frame, which reports the rate limit too.
    else if (++this.#tooFast === MAX_TOO_FAST) queueMicrotask(() => this.#endTooFast(error));
    return error;
  }

  /**
   * Charges operations that are known only after they have run, or signals, which have no answer and so cannot be
   * refused.
   */
  charge(operations: number): void {
    this.#own?.charge(operations);
    if (this.#name !== undefined) this.#rates.named(this.#name, Date.now()).charge(operations);
  }

  /**
   * Names the bucket of a caller that has a new identity. Returns a function that makes it the one to take from;
   * operations taken from the connection's own bucket stay taken.
   */
  renew(caller: Caller): () => void {
    const name = this.#rates.nameOf(caller);
    return () => {
      this.#name = name;
      this.#unnamed = undefined;
    };
  }

  spend(run: Effort, operations: number, bytes = 0): void {
    const { limits } = this.#waiting;
    const charged = Math.floor(run.operations / OPERATIONS_A_CHARGE);
    run.operations += operations;
    run.bytes += bytes;
    const charge = Math.floor(run.operations / OPERATIONS_A_CHARGE) - charged;
    if (charge > 0) this.charge(charge);
    if (run.operations > limits.maxMapOperations) {
      throw exceeded('maxMapOperations', limits, ': map fewer elements, or look through shorter lists');
    }
    if (run.bytes > limits.maxMessageBytes) {
      const hint = ' by the constants of a callback, for all elements: have them come from a result';
      throw exceeded('maxMessageBytes', limits, hint);
    }
  }

  /**
   * Refuses calls of a list's own methods that would convert objects to text or numbers. A list that holds another list
   * twice, which again holds another list twice, and so on, takes a few bytes to send but makes more text than memory
   * can hold.
   */
  checkList(list: readonly unknown[], method: string | undefined, args: readonly unknown[]): void {
    const compared = method === 'includes' || method === 'indexOf' ? 1 : 0;
    if (!isReadOnlyMethod(list, method ?? '') || Object.hasOwn(list, method ?? '')) return;
    if (args.slice(compared).some(isObject)) {
      throw new RpcError('INVALID_ARGUMENTS', `${method}() of a list takes numbers and texts, no objects`);
    }
    if (method !== 'join') return;
    const between = args[0] === undefined ? 1 : String(args[0]).length;
    let length = 0;
    for (const element of list) {
      if (isObject(element)) {
        throw new RpcError('INVALID_ARGUMENTS', 'join() is for lists of texts, numbers and the like, not of objects');
      }
      length += String(element ?? '').length + between;
      if (length > MAX_JOINED_LENGTH) {
        const message = `join() of more than ${MAX_JOINED_LENGTH} characters: ask for the list, or for less of it`;
        throw new RpcError('LIMIT_EXCEEDED', message);
      }
    }
  }

  spendOnList(run: Effort, { length }: readonly unknown[], method: string | undefined, result: unknown): void {
    const looked = length / (ELEMENTS_AN_OPERATION.get(method) ?? Number.POSITIVE_INFINITY);
    // Only text can be larger than the elements that were read.
    const made = typeof result === 'string' ? result.length / CHARACTERS_AN_OPERATION : 0;
    this.spend(run, Math.floor(looked) + Math.floor(made));
  }
}

function rateError(limit: string, operations: number, retryAfterMs: number): RpcError {
  if (retryAfterMs === Number.POSITIVE_INFINITY) {
    const message = `a frame of ${operations} operations is more than the burst of rateLimits.${limit}: make fewer in a turn`;
    return new RpcError('LIMIT_EXCEEDED', message);
  }
  const message = `rateLimits.${limit} exceeded: call again in ${retryAfterMs} ms`;
  return new RpcError('RATE_LIMITED', message, { data: { retryAfterMs } });
}

function isObject(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
