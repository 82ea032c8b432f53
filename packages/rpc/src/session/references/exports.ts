import { type Address, keptAt, referenceAddress, stepAddress } from '../../protocol/address.ts';
import type { Outcome, Pending } from '../../protocol/result-frame.ts';
import type { RpcLimits } from '../limits.ts';
import { isTarget } from './by-reference.ts';
import { checkReferences, Holders } from './holders.ts';
import type { Recipes } from './recipes.ts';

/** A value of this side that the peer may use by its address. */
interface Export {
  /** The outcome that the address stands for, or a promise of it. */
  pending: Pending;
  /** The targets and functions that this entry retains. */
  retained: readonly object[];
  /** The number of times that the peer must release the entry. */
  count: number;
  /** For the result of a step, its share of the frame that the step arrived in. */
  readonly bytes: number;
}

/** The part of a session that its exports need. */
interface ExportsHost {
  readonly settings: { readonly limits: Pick<RpcLimits, 'maxReferences' | 'maxHeldResults' | 'maxFrameBytes'> };
  /** The first id to use, which no earlier life of the session has used. */
  readonly firstId: number;
  readonly exportsWatcher: ExportsWatcher | undefined;
}

/** Follows the values that are sent by reference. */
export interface ExportsWatcher {
  /** The ways to derive the results of methods marked `restorable` again. */
  readonly recipes: Recipes;
  /** Called each time that a value is sent, and when it is no longer held. */
  sent(id: number, value: object, isFirst: boolean): void;
  removed(id: number): void;
  /** Derives the value of a reference again after the object has forgotten it; undefined if that is not possible. */
  restore(id: number): Pending | undefined;
}

/**
 * The values that the peer may use by address. Targets and functions that were sent are kept until the peer releases
 * them. The results of steps are kept in case a call of a later turn uses them. The oldest results are dropped when
 * there are too many of them, or when the frames that they came from were too large in total. This limits the memory
 * that an abusive peer can use, and a well-behaved caller awaits a result that it needs for long.
 */
export class Exports {
  readonly #byAddress = new Map<Address, Export>();
  readonly #ids = new Map<object, number>();
  /** The addresses of results of steps, oldest first. */
  readonly #steps = new Set<Address>();
  readonly #holders: Holders;
  readonly #host: ExportsHost;
  #stepBytes = 0;
  #nextId: number | undefined;

  /** `letGo` is called with values that nothing retains any more. */
  constructor(host: ExportsHost, letGo: (value: object) => void) {
    this.#host = host;
    this.#holders = new Holders(letGo);
  }

  /** The number of targets and functions. */
  get size(): number {
    return this.#byAddress.size - this.#steps.size;
  }

  /** The number of results of steps. */
  get steps(): number {
    return this.#steps.size;
  }

  retains(value: object): boolean {
    return this.#holders.has(value);
  }

  /**
   * Exports a value that is being sent and returns its id, which stays the same as long as the value is held.
   * @throws {RpcError} `LIMIT_EXCEEDED`
   */
  add(value: object): number {
    let id = this.#ids.get(value);
    const isFirst = id === undefined;
    if (id !== undefined) this.#byAddress.get(referenceAddress(id))!.count++;
    else {
      checkReferences(this.size, this.#host.settings.limits.maxReferences);
      this.#nextId ??= this.#host.firstId;
      id = this.#nextId++;
      this.#ids.set(value, id);
      this.put(referenceAddress(id), { ok: true, value }, [value], 1);
    }
    this.#host.exportsWatcher?.sent(id, value, isFirst);
    return id;
  }

  /**
   * Keeps the outcome of a call until it was released as often as it was held. `bytes` is its share of the frame that
   * it arrived in. The targets in `made` of the call are retained as long.
   */
  hold(callId: number, pending: Pending, bytes: number, call?: { readonly made?: object[] | undefined }): void {
    const address = stepAddress(callId);
    const known = this.#byAddress.get(address);
    if (known?.pending === pending) return void known.count++;
    if (known !== undefined) this.#drop(address, known);
    const held = this.put(address, pending, [], 1, bytes);
    this.#steps.add(address);
    this.#stepBytes += bytes;
    const settled = (outcome: Outcome) => {
      held.pending = outcome;
      const { made = [] } = call ?? {};
      held.retained = outcome.ok && isTarget(outcome.value) ? [...made, outcome.value] : made;
      for (const each of held.retained) this.#holders.retain(each);
      // The entry was dropped before its value was there.
      if (this.#byAddress.get(address) !== held) for (const each of held.retained) this.#holders.release(each);
    };
    if (pending instanceof Promise) pending.then(settled);
    else settled(pending);
    const { maxHeldResults, maxFrameBytes } = this.#host.settings.limits;
    while (this.#steps.size > maxHeldResults || this.#stepBytes > maxFrameBytes) {
      const [oldest] = this.#steps;
      this.#drop(oldest, this.#byAddress.get(oldest)!);
    }
  }

  /** Returns the outcome at an address of a kept value, which is derived again if the object has forgotten it. */
  get(address: Address): Pending | undefined {
    const known = this.#byAddress.get(address);
    if (known !== undefined) return known.pending;
    const { kind, id } = keptAt(address)!;
    return kind === 'reference' ? this.#host.exportsWatcher?.restore(id) : undefined;
  }

  /** Releases an entry `count` times. The last release drops it, and lets go of its values unless `letsGo` is false. */
  release(address: Address, count: number, letsGo = true): void {
    const entry = this.#byAddress.get(address);
    if (entry !== undefined) {
      entry.count -= count;
      if (entry.count > 0) return;
      this.#drop(address, entry, letsGo);
    }
    // After hibernation the peer may release a reference that has not been derived again.
    const { kind, id } = keptAt(address)!;
    if (kind === 'reference') this.#host.exportsWatcher?.removed(id);
  }

  /** Releases everything, because the connection is gone. */
  clear(): void {
    for (const [address, entry] of this.#byAddress) this.#drop(address, entry);
  }

  /**
   * Adds an entry, which the peer must release `count` times. It retains the targets and functions in `retained`.
   */
  put(address: Address, pending: Pending, retained: readonly object[], count: number, bytes = 0): Export {
    const entry = { pending, retained, count, bytes };
    this.#byAddress.set(address, entry);
    for (const each of retained) this.#holders.retain(each);
    return entry;
  }

  #drop(address: Address, { retained, bytes }: Export, letsGo = true): void {
    this.#byAddress.delete(address);
    if (this.#steps.delete(address)) this.#stepBytes -= bytes;
    else if (this.#ids.get(retained[0]) === keptAt(address)!.id) this.#ids.delete(retained[0]);
    for (const each of retained) this.#holders.release(each, letsGo);
  }
}
