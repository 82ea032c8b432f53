import { type Plain, withFields } from '../fields.ts';
import type { Fields, RecordTypes } from '../records.ts';

/** A record of any collection. */
export type AnyRecord = Plain & { readonly id: string };

/** The state as a guess finds it, with what earlier guesses have changed. */
export interface Draft<Records extends RecordTypes> {
  /** Returns a record; undefined if there is none. */
  get<Name extends keyof Records>(collection: Name, id: string): Records[Name] | undefined;
  /** Returns all records of a collection, in no order. */
  all<Name extends keyof Records>(collection: Name): readonly Records[Name][];
  /** Puts a record, in place of the one with its id if there is one. */
  put<Name extends keyof Records>(collection: Name, record: Records[Name]): void;
  /** Changes fields of a record, if there is one. A field that is undefined is removed. */
  patch<Name extends keyof Records>(collection: Name, id: string, fields: Fields<Records[Name]>): void;
  /** Deletes a record. */
  delete<Name extends keyof Records>(collection: Name, id: string): void;
}

/** Ids of records, by their collections. */
export class Ids extends Map<string, Set<string>> {
  note(collection: string, id: string): void {
    const ids = this.get(collection);
    if (ids === undefined) this.set(collection, new Set([id]));
    else ids.add(id);
  }

  noteAll(written: Written): void {
    for (const [collection, records] of written) for (const id of records.keys()) this.note(collection, id);
  }
}

/** Records that were put, or undefined for those that were deleted, by their collections and ids. */
export type Written = ReadonlyMap<string, ReadonlyMap<string, AnyRecord | undefined>>;

/** The records that a draft begins with. */
export interface Beneath {
  get(collection: string, id: string): AnyRecord | undefined;
  all(collection: string): Iterable<AnyRecord>;
}

/** Notes what a guess reads and writes. */
export class NotingDraft implements Draft<Record<string, AnyRecord>> {
  readonly written = new Map<string, Map<string, AnyRecord | undefined>>();
  readonly read = new Ids();
  /** The collections of which it has read everything. */
  readonly readWhole = new Set<string>();
  readonly #beneath: Beneath;

  constructor(beneath: Beneath) {
    this.#beneath = beneath;
  }

  get(collection: string, id: string): AnyRecord | undefined {
    this.read.note(collection, id);
    const written = this.written.get(collection);
    return written?.has(id) ? written.get(id) : this.#beneath.get(collection, id);
  }

  all(collection: string): AnyRecord[] {
    this.readWhole.add(collection);
    const all = new Map(Array.from(this.#beneath.all(collection), (record) => [record.id, record]));
    for (const [id, record] of this.written.get(collection) ?? []) {
      if (record === undefined) all.delete(id);
      else all.set(id, record);
    }
    return [...all.values()];
  }

  put(collection: string, record: AnyRecord): void {
    this.#write(collection, record.id, record);
  }

  patch(collection: string, id: string, fields: Plain): void {
    const record = this.get(collection, id);
    if (record !== undefined) this.#write(collection, id, withFields(record, { ...fields, id }));
  }

  delete(collection: string, id: string): void {
    this.#write(collection, id, undefined);
  }

  /** Returns true if it has to do with any of these records. */
  concerns(ids: Ids): boolean {
    for (const [collection, changed] of ids) {
      if (this.readWhole.has(collection)) return true;
      const [read, written] = [this.read.get(collection), this.written.get(collection)];
      for (const id of changed) if (read?.has(id) || written?.has(id)) return true;
    }
    return false;
  }

  #write(collection: string, id: string, record: AnyRecord | undefined): void {
    const written = this.written.get(collection);
    if (written === undefined) this.written.set(collection, new Map([[id, record]]));
    else written.set(id, record);
  }
}
