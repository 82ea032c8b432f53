import type { Answers } from '../extension.ts';
import type { RpcLimits } from '../limits.ts';
import { checkReferences } from './holders.ts';
import { Reference } from './reference.ts';

/** A reference with the number of times that it was received, which the peer counts too. */
interface Import {
  readonly id: number;
  count: number;
  /** The number of times that it was received by calls that have not begun. */
  waiting: number;
  reference: WeakRef<Reference> | undefined;
}

/** The part of a session that its references need. */
interface ImportsHost {
  readonly settings: { readonly limits: Pick<RpcLimits, 'maxReferences'> };
  readonly outgoing: { release(id: number, count: number, collected: boolean): void };
  readonly answers: Pick<Answers, 'noteArgument'>;
}

/** The references that the peer sent and that are still held here. Garbage collection decides whether one is held. */
export class Imports {
  readonly #imports = new Map<number, Import>();
  readonly #host: ImportsHost;
  #collected: FinalizationRegistry<Import> | undefined;

  constructor(host: ImportsHost) {
    this.#host = host;
  }

  get size(): number {
    return this.#imports.size;
  }

  /**
   * Returns the stub of a reference that was received. While a stub is held, this is the same one; otherwise `makeStub`
   * makes it. `callId` is the call that the reference is an argument of.
   * @throws {RpcError} `LIMIT_EXCEEDED`
   */
  stubOf(id: number, name: string, makeStub: (reference: Reference) => object, callId?: number): object {
    let entry = this.#imports.get(id);
    if (entry === undefined) {
      // A stub takes a hundred times as much memory as it took to send it.
      checkReferences(this.size, this.#host.settings.limits.maxReferences, 'pass fewer functions and targets');
      entry = { id, count: 0, waiting: 0, reference: undefined };
      this.#imports.set(id, entry);
    }
    entry.count++;
    if (callId !== undefined) {
      let waiting = 1;
      entry.waiting++;
      const begun = () => {
        entry.waiting -= waiting;
        waiting = 0;
      };
      this.#host.answers.noteArgument(callId, {
        begun,
        // If nothing has run for the call, nothing there holds the reference. A peer that has forgotten it knows.
        ended: (_isAnswered, hasRun, isForgotten) => {
          begun();
          if (isForgotten || !hasRun) this.#uncount(entry, isForgotten);
        },
      });
    }
    const held = entry.reference?.deref();
    if (held?.stub !== undefined) return held.stub;
    const reference = new Reference(id, name, this);
    reference.stub = makeStub(reference);
    entry.reference = new WeakRef(reference);
    this.#collected ??= new FinalizationRegistry((gone) => {
      // The reference may have arrived again since.
      if (gone.reference?.deref() === undefined && this.#imports.get(gone.id) === gone) this.#release(gone, true);
    });
    this.#collected.register(reference, entry, reference);
    return reference.stub;
  }

  /**
   * Returns the entry of a reference; undefined if the reference is no longer held. Its count is how often it must be
   * released later, and 0 if something else does that: then garbage collection does not release it.
   */
  entryOf(reference: Reference): Import | undefined {
    const entry = this.#imports.get(reference.id);
    return entry?.reference?.deref() === reference ? entry : undefined;
  }

  release(reference: Reference): boolean {
    const entry = this.entryOf(reference);
    if (entry === undefined) return true;
    const { id, count, waiting } = entry;
    if (waiting > 0) {
      entry.count = Math.min(count, waiting);
      if (count > waiting) this.#host.outgoing.release(id, count - waiting, false);
      return false;
    }
    this.#collected?.unregister(reference);
    this.#release(entry, false);
    return true;
  }

  /** Releases what was received with a result for which nobody waits. */
  giveBack(id: number): void {
    const entry = this.#imports.get(id);
    if (entry !== undefined) this.#uncount(entry);
  }

  /** Makes all references unusable, because their connection is gone. */
  lost(message: string): void {
    for (const { reference } of this.#imports.values()) reference?.deref()?.lose(message);
    this.#imports.clear();
  }

  /**
   * Releases one receipt of a reference, unless it is not counted here, because the reference was released already or
   * is kept elsewhere. A peer that has forgotten the receipt is not told.
   */
  #uncount(entry: Import, isForgotten = false): void {
    const { id } = entry;
    if (this.#imports.get(id) !== entry || entry.count === 0) return;
    if (--entry.count === 0) this.#imports.delete(id);
    if (!isForgotten) this.#host.outgoing.release(id, 1, false);
  }

  #release({ id, count }: Import, collected: boolean): void {
    this.#imports.delete(id);
    // A reference that is kept elsewhere is not released from here.
    if (count > 0) this.#host.outgoing.release(id, count, collected);
  }
}
