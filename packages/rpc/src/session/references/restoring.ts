import { RpcError } from '../../errors/rpc-error.ts';
import { referenceAddress } from '../../protocol/address.ts';
import type { Outcome, Pending } from '../../protocol/result-frame.ts';
import { type Caller, RunningCall, type SessionCounts } from '../incoming/call-context.ts';
import type { ResultStore } from '../incoming/delivery.ts';
import { callMember } from '../incoming/members.ts';
import { nextTurn } from '../incoming/turns.ts';
import type { ExportsWatcher } from './exports.ts';
import { type ConnectionMemory, firstIdOf } from './memory.ts';
import { readRecipe, recipeOf } from './recipes.ts';
import { References } from './references.ts';

/** Part of a session that restoring needs. */
interface RestoringHost {
  /** Target from which references are derived; after waking it may be another one. */
  readonly target: unknown;
  readonly caller: Caller | undefined;
  readonly results: ResultStore | undefined;
  readonly counts: SessionCounts;
  readonly isOver: boolean;
  state(Kind: typeof References): References;
  /** Resolves when all calls that have arrived have begun; undefined where they have. */
  readonly begun: Promise<void> | undefined;
  onError(error: RpcError, method: string, call: undefined): void;
}

/**
 * Has a connection remember how to derive again what its client holds, and does so when the object has left memory since: each
 * reference once, on its first use.
 */
export class Restoring implements ExportsWatcher {
  readonly #host: RestoringHost;
  readonly #memory: ConnectionMemory;
  readonly #pending = new Map<number, Promise<Outcome>>();
  #firstId: number | undefined;

  constructor(host: RestoringHost, memory: ConnectionMemory) {
    this.#host = host;
    this.#memory = memory;
  }

  get #references(): References {
    return this.#host.state(References);
  }

  /** The first id of this life of the session. */
  get firstId(): number {
    this.#firstId ??= firstIdOf(this.#memory.beginLife());
    return this.#firstId;
  }

  added(id: number, value: object): void {
    const recipe = recipeOf(value, this.#host.target);
    if (recipe === undefined || this.#memory.remember(id, recipe)) return;
    const message = 'no room to note how to restore a reference: it will be lost when the object hibernates';
    this.#host.onError(new RpcError('LIMIT_EXCEEDED', message), 'a restorable method', undefined);
  }

  removed(id: number): void {
    this.#memory.forget(id);
    const pending = this.#pending.get(id);
    if (pending !== undefined) void this.#releaseWhenUsed(id, pending);
  }

  /** Lets go of what is being derived for calls that arrived before it was released, when these have begun. */
  async #releaseWhenUsed(id: number, pending: Promise<Outcome>): Promise<void> {
    await pending;
    await nextTurn();
    await this.#host.begun;
    if (!this.#host.isOver) this.#references.exports.release(referenceAddress(id), 1);
  }

  /** Returns what a reference stands for, synchronously where the methods on the way are; undefined where that is not known. */
  restore(id: number): Pending | undefined {
    const known = this.#pending.get(id);
    if (known !== undefined) return known;
    const recipe = this.#memory.recall(id);
    if (recipe === undefined) return undefined;
    // What the value is derived from, the last first.
    const from: object[] = [];
    const done = (value: unknown): Outcome => {
      if (this.#host.isOver) {
        from.unshift(value as object);
        return failed('the connection has ended');
      }
      this.#pending.delete(id);
      this.#references.exports.restore(id, value as object, from);
      return { ok: true, value };
    };
    const failed = (cause: unknown): Outcome => {
      this.#pending.delete(id);
      for (const each of new Set(from)) this.#references.letGo(each);
      const error = new RpcError('REFERENCE_LOST', `a reference could not be derived again: ${cause}`, { cause });
      return { ok: false, error };
    };
    // What the caller may no longer call is not derived for it again.
    const call = new RunningCall(this.#host, 0, undefined);
    try {
      let value: unknown = this.#host.target;
      for (const [method, args] of readRecipe(recipe)) {
        const derive = (at: unknown) => {
          if (at !== this.#host.target) from.unshift(at as object);
          return callMember(at, method, args, call);
        };
        value = value instanceof Promise ? value.then(derive) : derive(value);
      }
      if (!(value instanceof Promise)) return done(value);
      const pending = value.then(done, failed);
      this.#pending.set(id, pending);
      return pending;
    } catch (error) {
      return failed(error);
    }
  }
}
