import { parse } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import { referenceAddress } from '../../protocol/address.ts';
import type { Outcome, Pending } from '../../protocol/result-frame.ts';
import { isPromise } from '../brand.ts';
import { type CallContext, type Caller, RunningCall, type SessionCounts } from '../incoming/call-context.ts';
import type { ResultStore } from '../incoming/delivery.ts';
import { callMember } from '../incoming/members.ts';
import { wasThrown } from '../incoming/thrown.ts';
import { nextTurn } from '../incoming/turns.ts';
import { atEndOfTurn } from '../timer.ts';
import { isByReference } from './by-reference.ts';
import type { ExportsWatcher } from './exports.ts';
import { type Recipe, Recipes } from './recipes.ts';
import { References } from './references.ts';

/** The memory of a connection that outlives its session. A hibernating socket carries it. */
export interface ConnectionMemory {
  /**
   * Begins a life of the session, which lasts until the object leaves memory. Returns the number of the life, which
   * keeps its ids apart from those of earlier lives.
   */
  beginLife(): number;
  /** Stores the recipe that derives the value with this id again. Returns false if there is no room for it. */
  remember(id: number, recipe: Recipe): boolean;
  recall(id: number): Recipe | undefined;
  forget(id: number): void;
}

/** The number of ids of one life of a session, more than it will use. */
const IDS_OF_A_LIFE = 16_777_216;

/** The part of a session that restoring needs. */
interface RestoringHost {
  /** The target from which references are derived. It may be another object after the session wakes. */
  readonly target: unknown;
  readonly caller: Caller | undefined;
  readonly results: ResultStore | undefined;
  readonly counts: SessionCounts;
  readonly isOver: boolean;
  readonly exportsWatcher: ExportsWatcher | undefined;
  state(Kind: typeof References): References;
  /** A promise that resolves when all calls that have arrived have begun; undefined if they have begun. */
  readonly begun: Promise<void> | undefined;
  onError(error: unknown, method: string, call: CallContext | undefined): void;
}

/**
 * Remembers how to derive the references that a client holds. If the object has left memory since, derives each
 * reference again once, on its first use.
 */
export class Restoring implements ExportsWatcher {
  readonly #host: RestoringHost;
  readonly #memory: ConnectionMemory;
  readonly recipes = new Recipes();
  /** The references that are being derived again, or could not be in this turn. */
  readonly #pending = new Map<number, Pending>();
  #firstId: number | undefined;

  constructor(host: RestoringHost, memory: ConnectionMemory) {
    this.#host = host;
    this.#memory = memory;
    this.recipes.addTarget(host.target);
  }

  get #references(): References {
    return this.#host.state(References);
  }

  /** The first id of this life of the session. */
  get firstId(): number {
    this.#firstId ??= this.#memory.beginLife() * IDS_OF_A_LIFE;
    return this.#firstId;
  }

  sent(id: number, value: object, isFirst: boolean): void {
    const recipe = this.#memory.recall(id) === undefined ? this.recipes.of(value) : undefined;
    if (recipe === undefined || this.#memory.remember(id, recipe) || !isFirst) return;
    const message = 'no room to note how to restore a reference: it will be lost when the object hibernates';
    this.#host.onError(new RpcError('LIMIT_EXCEEDED', message), 'a restorable method', undefined);
  }

  removed(id: number): void {
    this.#memory.forget(id);
    const pending = this.#pending.get(id);
    if (pending !== undefined) void this.#releaseWhenUsed(id, pending);
  }

  /**
   * Releases a reference that is still being derived for calls that arrived before its release, once those calls have
   * begun.
   */
  async #releaseWhenUsed(id: number, pending: Pending): Promise<void> {
    await pending;
    await nextTurn();
    await this.#host.begun;
    if (!this.#host.isOver) this.#references.exports.release(referenceAddress(id), 1);
  }

  /**
   * Returns the value of a reference, synchronously if all methods that derive it are synchronous. Returns undefined if
   * no recipe is known.
   */
  restore(id: number): Pending | undefined {
    const known = this.#pending.get(id);
    if (known !== undefined) return known;
    const recipe = this.#memory.recall(id);
    if (recipe === undefined) return undefined;
    // What has been derived, the last one first.
    const from: object[] = [];
    const done = (value: unknown): Outcome => {
      from.unshift(value as object);
      if (this.#host.isOver) return failed('the connection has ended');
      if (!isByReference(value as object)) return failed('its method has returned none');
      this.#pending.delete(id);
      const outcome: Outcome = { ok: true, value };
      // How often the value was sent is no longer known, so it is not sent under this id again: one release is then
      // always the last, and cannot cross with another send.
      this.#references.exports.put(referenceAddress(id), outcome, [...new Set(from)], 0);
      return outcome;
    };
    const failed = (cause: unknown): Outcome => {
      for (const each of new Set(from)) this.#references.letGo(each);
      const error = new RpcError('REFERENCE_LOST', `a reference could not be derived again: ${cause}`, { cause });
      const outcome: Outcome = { ok: false, error };
      // One frame may use it thousands of times. The next one tries again.
      this.#pending.set(id, outcome);
      atEndOfTurn(() => this.#pending.delete(id));
      return outcome;
    };
    // The methods run as a call of the current caller, so a value that it may no longer get is not derived for it
    // again.
    const call = new RunningCall(this.#host, 0, undefined);
    let name = '';
    const thrown = (error: unknown): Outcome => {
      if (wasThrown(error)) this.#host.onError(error, name, call);
      return failed(error);
    };
    try {
      let value: unknown = this.#host.target;
      for (const text of recipe) {
        const [method, args] = parse(text) as [string, unknown[]];
        const derive = (at: unknown) => {
          if (at !== this.#host.target) from.unshift(at as object);
          name = method;
          return callMember(at, method, args, call);
        };
        value = isPromise(value) ? Promise.resolve(value).then(derive) : derive(value);
      }
      if (!isPromise(value)) return done(value);
      const pending = Promise.resolve(value).then(done, thrown);
      this.#pending.set(id, pending);
      return pending;
    } catch (error) {
      return thrown(error);
    }
  }
}
