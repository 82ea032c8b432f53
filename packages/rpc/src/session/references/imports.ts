import { RpcError } from '../../errors/rpc-error.ts';
import { Reference } from './reference.ts';

/** A reference with the number of times that it was received, which the peer counts too. */
interface Import {
  readonly id: number;
  count: number;
  reference: WeakRef<Reference>;
}

/** Called with a reference to release. `collected` is true if garbage collection found it. */
type Released = (id: number, count: number, collected: boolean) => void;

/** The references that the peer sent and that are still held here. Garbage collection decides whether one is held. */
export class Imports {
  readonly #imports = new Map<number, Import>();
  readonly #limit: () => number;
  readonly #released: Released;
  #collected: FinalizationRegistry<Import> | undefined;
  /** The references passed in the arguments of calls that have not ended, by the id of the call. */
  readonly #passed = new Map<number, Import[]>();

  /**
   * `limit` returns the largest number of references: a stub takes a hundred times as much memory as it took to send
   * it. `released` is called with each reference that nothing here leads to any more, and the number of times that it
   * was received.
   */
  constructor(limit: () => number, released: Released) {
    this.#limit = limit;
    this.#released = released;
  }

  get size(): number {
    return this.#imports.size;
  }

  /**
   * Returns the stub of a reference that was received. While a stub is held, this is the same one; otherwise `makeStub`
   * makes it. `callId` is the call that the reference is an argument of.
   * @throws {RpcError} `LIMIT_EXCEEDED`
   */
  receive(id: number, name: string, makeStub: (reference: Reference) => object, callId?: number): object {
    const known = this.#imports.get(id);
    if (known === undefined && this.size >= this.#limit()) {
      throw new RpcError(
        'LIMIT_EXCEEDED',
        `maxReferences of ${this.#limit()} exceeded: pass fewer functions and targets`,
      );
    }
    if (known !== undefined) known.count++;
    if (known !== undefined) this.#pass(known, callId);
    const held = known?.reference.deref();
    if (held?.stub !== undefined) return held.stub;
    const reference = new Reference(id, name, this);
    reference.stub = makeStub(reference);
    const entry = known ?? { id, count: 1, reference: new WeakRef(reference) };
    if (known === undefined) this.#pass(entry, callId);
    entry.reference = new WeakRef(reference);
    this.#imports.set(id, entry);
    this.#collected ??= new FinalizationRegistry((gone) => {
      // The reference may have arrived again since.
      if (gone.reference.deref() === undefined && this.#imports.get(gone.id) === gone) this.#release(gone, true);
    });
    this.#collected.register(reference, entry, reference);
    return reference.stub;
  }

  /**
   * Called when a call has ended. If nothing `hasRun`, releases the references that were passed to the call, because
   * nothing there holds them.
   */
  callEnded(callId: number, hasRun: boolean): void {
    for (const entry of this.#take(callId)) {
      if (!hasRun && this.#uncount(entry)) this.#released(entry.id, 1, false);
    }
  }

  /**
   * Forgets the references that were passed to the calls of a refused frame. The peer itself takes back everything that
   * it sent, including what was not read.
   */
  frameRefused(firstId: number): void {
    for (const callId of this.#passed.keys()) {
      if (callId >= firstId) for (const entry of this.#take(callId)) this.#uncount(entry);
    }
  }

  /**
   * Keeps garbage collection from releasing a reference while the connection lasts. Returns how often it was received,
   * which is how often it must be released later. Returns undefined if the reference is no longer held.
   */
  keep(reference: Reference): number | undefined {
    const entry = this.#imports.get(reference.id);
    if (entry?.reference.deref() !== reference) return undefined;
    const { count } = entry;
    entry.count = 0;
    return count;
  }

  /** Returns the stub of a reference that `keep` was called for. */
  find(id: number, name: string, makeStub: (reference: Reference) => object): object {
    const stub = this.receive(id, name, makeStub);
    this.#imports.get(id)!.count--;
    return stub;
  }

  /** Releases a reference that was disposed. */
  release(reference: Reference): void {
    const entry = this.#imports.get(reference.id);
    if (entry?.reference.deref() !== reference) return;
    this.#collected?.unregister(reference);
    this.#release(entry, false);
  }

  /** Makes all references unusable, because their connection is gone. */
  lost(message: string): void {
    for (const { reference } of this.#imports.values()) reference.deref()?.lose(message);
    this.#imports.clear();
    this.#passed.clear();
  }

  #pass(entry: Import, callId: number | undefined): void {
    if (callId === undefined) return;
    const entries = this.#passed.get(callId);
    if (entries === undefined) this.#passed.set(callId, [entry]);
    else entries.push(entry);
  }

  #take(callId: number): readonly Import[] {
    const entries = this.#passed.get(callId) ?? [];
    this.#passed.delete(callId);
    return entries;
  }

  /**
   * Counts one receipt of a reference less. Returns false if the receipt is not counted here, because the reference was
   * released already or is kept elsewhere.
   */
  #uncount(entry: Import): boolean {
    if (this.#imports.get(entry.id) !== entry || entry.count === 0) return false;
    if (--entry.count === 0) this.#imports.delete(entry.id);
    return true;
  }

  #release({ id, count }: Import, collected: boolean): void {
    this.#imports.delete(id);
    // A reference that is kept elsewhere is not released from here.
    if (count > 0) this.#released(id, count, collected);
  }
}
