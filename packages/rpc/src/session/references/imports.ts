import { RpcError } from '../../errors/rpc-error.ts';
import { Reference } from './reference.ts';

/** How often a reference was received, which is what the other side counts too. */
interface Import {
  readonly id: number;
  count: number;
  reference: WeakRef<Reference>;
}

/** `collected` tells what was found by garbage collection from what was disposed of. */
type Released = (id: number, count: number, collected: boolean) => void;

/** The references that the other side sent and that are still held here, by garbage collection's measure. */
export class Imports {
  readonly #imports = new Map<number, Import>();
  readonly #limit: () => number;
  readonly #released: Released;
  #collected: FinalizationRegistry<Import> | undefined;
  /** What has arrived with the arguments in the frame that is being read. */
  #arrived: Import[] = [];

  /** `limit`: a stub takes a hundred times what it took to send it. `released` is told of references that nothing here leads to any more, and how often each was received. */
  constructor(limit: () => number, released: Released) {
    this.#limit = limit;
    this.#released = released;
  }

  get size(): number {
    return this.#imports.size;
  }

  /**
   * Returns the stub for a reference that was received: the same one while it is held, else what `makeStub` makes. What
   * `isArgument` counts only if its frame is not refused: see `settle`.
   * @throws {RpcError} `LIMIT_EXCEEDED`
   */
  receive(id: number, name: string, makeStub: (reference: Reference) => object, isArgument = false): object {
    const known = this.#imports.get(id);
    if (known === undefined && this.size >= this.#limit()) {
      throw new RpcError(
        'LIMIT_EXCEEDED',
        `maxReferences of ${this.#limit()} exceeded: pass fewer functions and targets`,
      );
    }
    if (known !== undefined) known.count++;
    if (isArgument && known !== undefined) this.#arrived.push(known);
    const held = known?.reference.deref();
    if (held?.stub !== undefined) return held.stub;
    const reference = new Reference(id, name, this);
    reference.stub = makeStub(reference);
    const entry = known ?? { id, count: 1, reference: new WeakRef(reference) };
    if (isArgument && known === undefined) this.#arrived.push(entry);
    entry.reference = new WeakRef(reference);
    this.#imports.set(id, entry);
    this.#collected ??= new FinalizationRegistry((gone) => {
      // It may have come again since.
      if (gone.reference.deref() === undefined && this.#imports.get(gone.id) === gone) this.#release(gone, true);
    });
    this.#collected.register(reference, entry, reference);
    return reference.stub;
  }

  /** Told that the frame was read, or refused: of a refused one the other side takes back all that it sent, also what was not read. */
  settle(isWanted: boolean): void {
    if (this.#arrived.length === 0) return;
    const arrived = this.#arrived;
    this.#arrived = [];
    if (isWanted) return;
    for (const entry of arrived) {
      if (--entry.count === 0) this.#imports.delete(entry.id);
    }
  }

  /**
   * Takes a reference out of the reach of garbage collection, as long as the connection lasts: returns how often it was
   * received, which is what has to be released one day. Undefined where it is held no more.
   */
  keep(reference: Reference): number | undefined {
    const entry = this.#imports.get(reference.id);
    if (entry?.reference.deref() !== reference) return undefined;
    const { count } = entry;
    entry.count = 0;
    return count;
  }

  /** Returns the stub for a reference that was kept. */
  find(id: number, name: string, makeStub: (reference: Reference) => object): object {
    const stub = this.receive(id, name, makeStub);
    this.#imports.get(id)!.count--;
    return stub;
  }

  /** Lets go of a reference that was disposed. */
  release(reference: Reference): void {
    const entry = this.#imports.get(reference.id);
    if (entry?.reference.deref() !== reference) return;
    this.#collected?.unregister(reference);
    this.#release(entry, false);
  }

  /** Makes all of them unusable: their connection is gone. */
  lost(message: string): void {
    for (const { reference } of this.#imports.values()) reference.deref()?.lose(message);
    this.#imports.clear();
  }

  #release({ id, count }: Import, collected: boolean): void {
    this.#imports.delete(id);
    // What is kept elsewhere is not released from here.
    if (count > 0) this.#released(id, count, collected);
  }
}
