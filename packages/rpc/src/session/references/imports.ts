import { RpcError } from '../../errors/rpc-error.ts';
import { Reference } from './reference.ts';

/** Reference with the number of times that it was received, which the other side counts too. */
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
  /** References passed in the arguments of calls that have not ended, by call. */
  readonly #passed = new Map<number, Import[]>();

  /** `limit`: a stub takes a hundred times what it took to send it. `released` is told of references that nothing here leads to any more, and how often each was received. */
  constructor(limit: () => number, released: Released) {
    this.#limit = limit;
    this.#released = released;
  }

  get size(): number {
    return this.#imports.size;
  }

  /**
   * Returns the stub for a reference that was received: the same one while it is held, else what `makeStub` makes. `callId`:
   * the call that it is an argument of.
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
      // It may have come again since.
      if (gone.reference.deref() === undefined && this.#imports.get(gone.id) === gone) this.#release(gone, true);
    });
    this.#collected.register(reference, entry, reference);
    return reference.stub;
  }

  /** Told that a call has ended. Gives back what was passed to it if nothing `hasRun`: nobody has it from there. */
  callEnded(callId: number, hasRun: boolean): void {
    for (const entry of this.#take(callId)) {
      if (!hasRun && this.#uncount(entry)) this.#released(entry.id, 1, false);
    }
  }

  /** Drops all that was passed to the calls of a frame that was refused: the other side takes back all that it sent, also what was not read. */
  frameRefused(firstId: number): void {
    for (const callId of this.#passed.keys()) {
      if (callId >= firstId) for (const entry of this.#take(callId)) this.#uncount(entry);
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

  /** Has it received once less. Returns false where that is not counted here: it is released already, or kept elsewhere. */
  #uncount(entry: Import): boolean {
    if (this.#imports.get(entry.id) !== entry || entry.count === 0) return false;
    if (--entry.count === 0) this.#imports.delete(entry.id);
    return true;
  }

  #release({ id, count }: Import, collected: boolean): void {
    this.#imports.delete(id);
    // What is kept elsewhere is not released from here.
    if (count > 0) this.#released(id, count, collected);
  }
}
