import { RpcError } from '../../errors/rpc-error.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { type Caller, RunningCall, type SessionCounts } from '../incoming/call-context.ts';
import type { Pending } from '../incoming/held-results.ts';
import { callMember } from '../incoming/members.ts';
import type { ResultStore } from '../incoming/result-store.ts';
import type { Exports } from './exports.ts';
import { readRecipe } from './recipes.ts';

/** What restoring needs of its session. */
interface RestoringHost {
  readonly target: unknown;
  readonly caller: Caller | undefined;
  readonly results: ResultStore | undefined;
  readonly counts: SessionCounts;
  readonly isOver: boolean;
  readonly exports: Exports;
  /** Told of what nobody holds. */
  letGo(value: object): void;
}

/** Derives references again that were sent before the object left memory: each once, on its first use. */
export class Restoring {
  readonly #host: RestoringHost;
  readonly #pending = new Map<number, Promise<Outcome>>();

  constructor(host: RestoringHost) {
    this.#host = host;
  }

  /** Returns what the reference stands for; synchronously where the methods on the way are. */
  restore(id: number, recipe: string): Pending {
    const known = this.#pending.get(id);
    if (known !== undefined) return known;
    // What the value is derived from, the last first.
    const from: object[] = [];
    const done = (value: unknown): Outcome => {
      if (this.#host.isOver) {
        from.unshift(value as object);
        return failed('the connection has ended');
      }
      this.#pending.delete(id);
      this.#host.exports.restore(id, value as object, from);
      return { ok: true, value };
    };
    const failed = (cause: unknown): Outcome => {
      this.#pending.delete(id);
      for (const each of new Set(from)) this.#host.letGo(each);
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
