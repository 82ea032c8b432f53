import { type Address, keptAt, referenceAddress, stepAddress } from '../../protocol/address.ts';
import type { Outcome, Pending } from '../../protocol/result-frame.ts';
import type { RpcLimits } from '../limits.ts';
import { isTarget } from './by-reference.ts';
import { checkReferences, Holders } from './holders.ts';

/** Something of ours that the other side may use by its address. */
interface Export {
  /** Value that it stands for, or a promise of that. */
  pending: Pending;
  /** Targets and functions that it retains. */
  retained: readonly object[];
  /** Number of times that the other side is to release it. */
  count: number;
  /** Of the result of a step, its share of the frame that it came in. */
  readonly bytes: number;
}

/** Told of what is sent for the first time, and of what is no longer held. */
export interface ExportsWatcher {
  added(id: number, value: object): void;
  removed(id: number): void;
}

/**
 * Values that the other side may use by address: targets and functions that were sent to it, which are kept until it
 * releases them, and results of operations that were only steps, in case it goes on from them in a later turn. Of these
 * the oldest are dropped when there are too many, or when the frames that they came from were too large in all: what a
 * stranger can make this side keep is bounded, and an honest caller awaits what it wants to keep for long.
 */
export class Exports {
  readonly #byAddress = new Map<Address, Export>();
  readonly #ids = new Map<object, number>();
  /** Addresses of results of steps, the oldest first. */
  readonly #steps = new Set<Address>();
  readonly #holders: Holders;
  readonly #limits: Pick<RpcLimits, 'maxReferences' | 'maxHeldResults' | 'maxFrameBytes'>;
  readonly #watcher: ExportsWatcher | undefined;
  #stepBytes = 0;
  readonly #firstId: () => number;
  #nextId: number | undefined;

  /** `firstId` returns the first id to give: none that an earlier life of the session has given. `letGo` is told of values that nothing retains any more. */
  constructor(
    limits: Pick<RpcLimits, 'maxReferences' | 'maxHeldResults' | 'maxFrameBytes'>,
    firstId: () => number,
    letGo: (value: object) => void,
    watcher?: ExportsWatcher,
  ) {
    this.#limits = limits;
    this.#firstId = firstId;
    this.#holders = new Holders(letGo);
    this.#watcher = watcher;
  }

  /** Number of targets and functions. */
  get size(): number {
    return this.#byAddress.size - this.#steps.size;
  }

  /** Number of results of steps. */
  get steps(): number {
    return this.#steps.size;
  }

  retains(value: object): boolean {
    return this.#holders.has(value);
  }

  /**
   * Notes that a value is sent and returns its id: the same one for as long as it is held.
   * @throws {RpcError} `LIMIT_EXCEEDED`
   */
  add(value: object): number {
    const known = this.#ids.get(value);
    if (known !== undefined) {
      this.#byAddress.get(referenceAddress(known))!.count++;
      return known;
    }
    checkReferences(this.size, this.#limits.maxReferences);
    this.#nextId ??= this.#firstId();
    const id = this.#nextId++;
    this.#ids.set(value, id);
    this.#put(referenceAddress(id), { ok: true, value }, [value], 1);
    this.#watcher?.added(id, value);
    return id;
  }

  /**
   * Puts back what was derived again, under the id that the other side knows; `from` is let go of when it is. How often it was sent
   * is forgotten, so nothing more is sent under this id: then a release is the last one, and none crosses another sending.
   */
  restore(id: number, value: object, from: readonly object[]): void {
    this.#put(referenceAddress(id), { ok: true, value }, [...new Set([value, ...from])], 0);
  }

  /** Keeps what became of a call, until it was released as often; `bytes` is its share of the frame that it came in. */
  hold(callId: number, pending: Pending, bytes: number): void {
    const address = stepAddress(callId);
    const known = this.#byAddress.get(address);
    if (known?.pending === pending) return void known.count++;
    if (known !== undefined) this.#drop(address, known);
    const held = this.#put(address, pending, [], 1, bytes);
    this.#steps.add(address);
    this.#stepBytes += bytes;
    const settled = (outcome: Outcome) => {
      held.pending = outcome;
      if (!outcome.ok || !isTarget(outcome.value)) return;
      held.retained = [outcome.value];
      this.#holders.retain(outcome.value);
      // It was dropped before it was there.
      if (this.#byAddress.get(address) !== held) this.#holders.release(outcome.value);
    };
    if (pending instanceof Promise) pending.then(settled);
    else settled(pending);
    const { maxHeldResults, maxFrameBytes } = this.#limits;
    while (this.#steps.size > maxHeldResults || this.#stepBytes > maxFrameBytes) {
      const [oldest] = this.#steps;
      this.#drop(oldest, this.#byAddress.get(oldest)!);
    }
  }

  get(address: Address): Pending | undefined {
    return this.#byAddress.get(address)?.pending;
  }

  /** Takes back what was noted `count` times; the last time lets go of it. */
  release(address: Address, count: number): void {
    const entry = this.#byAddress.get(address);
    if (entry !== undefined) {
      entry.count -= count;
      if (entry.count > 0) return;
      this.#drop(address, entry);
    }
    // After hibernation the other side may release what has not been derived again.
    const { kind, id } = keptAt(address)!;
    if (kind === 'reference') this.#watcher?.removed(id);
  }

  /** Lets go of everything: the connection is gone. */
  clear(): void {
    for (const [address, entry] of this.#byAddress) this.#drop(address, entry);
  }

  #put(address: Address, pending: Pending, retained: readonly object[], count: number, bytes = 0): Export {
    const entry = { pending, retained, count, bytes };
    this.#byAddress.set(address, entry);
    for (const each of retained) this.#holders.retain(each);
    return entry;
  }

  #drop(address: Address, { retained, bytes }: Export): void {
    this.#byAddress.delete(address);
    if (this.#steps.delete(address)) this.#stepBytes -= bytes;
    else if (this.#ids.get(retained[0]) === keptAt(address)!.id) this.#ids.delete(retained[0]);
    for (const each of retained) this.#holders.release(each);
  }
}
