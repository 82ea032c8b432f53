import { type Plain, withFields } from '../fields.ts';
import type { Changes } from '../wire.ts';
import { type AnyRecord, type Beneath, type Ids, NotingDraft, type Written } from './draft.ts';

/** A change that is shown before the object has made it. */
export interface Layer {
  /** Makes the change. Undefined once it has thrown: then there is nothing to show. */
  guess: ((draft: NotingDraft) => void) | undefined;
  /** What it has read and written; undefined before it was made. */
  draft: NotingDraft | undefined;
}

type Table = Map<string, AnyRecord>;

/** A sorted list that is out of date in some places. */
interface List {
  readonly records: readonly AnyRecord[];
  readonly changed: Set<string>;
}

/** Places of a list that are looked up one by one; of more, the list is made anew. */
const MAX_PLACES = 100;
const NO_RECORDS: Table = new Map();
const EMPTY: readonly never[] = [];

/** The records that the object has, guesses on top of them, and what of both is shown. */
export class Layers {
  /** The guesses, in the order in which they were made. */
  layers: Layer[] = [];
  readonly #base = new Map<string, Table>();
  readonly #shown = new Map<string, Table>();
  readonly #lists = new Map<string, List>();

  get(collection: string, id: string): AnyRecord | undefined {
    return this.#shown.get(collection)?.get(id);
  }

  /** Returns all records of a collection by their ids: the same list until one of them changes. */
  all(collection: string): readonly AnyRecord[] {
    const shown = this.#shown.get(collection);
    if (shown === undefined) return EMPTY;
    const list = this.#lists.get(collection);
    if (list?.changed.size === 0) return list.records;
    const records = list === undefined || list.changed.size > MAX_PLACES ? sorted(shown) : updated(list, shown);
    this.#lists.set(collection, { records, changed: new Set() });
    return records;
  }

  /** Deletes what the object had: a snapshot follows. */
  clear(touched: Ids): void {
    for (const [collection, table] of this.#base) for (const id of table.keys()) touched.note(collection, id);
    this.#base.clear();
  }

  /** Applies changes of the object's records. */
  apply(collections: readonly string[], changes: Changes, touched: Ids): void {
    let collection = collections[0];
    for (let at = 0; at < changes.length; at++) {
      const change = changes[at];
      if (typeof change === 'number') collection = collections[change];
      else if (typeof change === 'string') this.#change(collection, change, changes[++at] as Plain | null, touched);
      else this.#put(collection, change as AnyRecord, touched);
    }
  }

  #change(collection: string, id: string, fields: Plain | null, touched: Ids): void {
    const record = this.#base.get(collection)?.get(id);
    if (record === undefined) return;
    if (fields !== null) return this.#put(collection, withFields(record, fields), touched);
    this.#base.get(collection)!.delete(id);
    touched.note(collection, id);
  }

  #put(collection: string, record: AnyRecord, touched: Ids): void {
    tableOf(this.#base, collection).set(record.id, record);
    touched.note(collection, record.id);
  }

  /**
   * Makes guesses again that have to do with changed records, or with what such a guess has changed. Returns true if
   * something is shown in another way.
   */
  update(touched: Ids): boolean {
    const over = new Map<string, Map<string, AnyRecord | undefined>>();
    const beneath: Beneath = {
      get: (collection, id) => {
        const records = over.get(collection);
        return records?.has(id) ? records.get(id) : this.#base.get(collection)?.get(id);
      },
      all: (collection) => {
        const records = over.get(collection);
        const base = this.#base.get(collection) ?? NO_RECORDS;
        return records === undefined ? base.values() : merged(base, records);
      },
    };
    for (const layer of this.layers) {
      if (layer.draft === undefined || layer.draft.concerns(touched)) make(layer, beneath, touched);
      for (const [collection, records] of layer.draft?.written ?? []) {
        const known = over.get(collection);
        if (known === undefined) over.set(collection, new Map(records));
        else for (const [id, record] of records) known.set(id, record);
      }
    }
    let isChanged = false;
    for (const [collection, ids] of touched) {
      for (const id of ids) isChanged = this.#show(collection, id, beneath.get(collection, id)) || isChanged;
    }
    return isChanged;
  }

  #show(collection: string, id: string, record: AnyRecord | undefined): boolean {
    const shown = tableOf(this.#shown, collection);
    const before = shown.get(id);
    // What was guessed right stays the same object.
    if (before === record || (before && record && hasSameFields(before, record))) return false;
    if (record === undefined) shown.delete(id);
    else shown.set(id, record);
    this.#lists.get(collection)?.changed.add(id);
    return true;
  }
}

/** Makes a guess, and notes what it changes and no longer changes. */
function make(layer: Layer, beneath: Beneath, touched: Ids): void {
  const draft = new NotingDraft(beneath);
  if (layer.draft !== undefined) touched.noteAll(layer.draft.written);
  layer.draft = draft;
  try {
    layer.guess?.(draft);
  } catch {
    // Its call goes on, and tells what is wrong.
    layer.guess = undefined;
    draft.written.clear();
  }
  touched.noteAll(draft.written as Written);
}

function* merged(base: Table, over: ReadonlyMap<string, AnyRecord | undefined>): Generator<AnyRecord> {
  for (const [id, record] of base) if (!over.has(id)) yield record;
  for (const record of over.values()) if (record !== undefined) yield record;
}

function tableOf(tables: Map<string, Table>, collection: string): Table {
  const known = tables.get(collection);
  if (known !== undefined) return known;
  const table: Table = new Map();
  tables.set(collection, table);
  return table;
}

function hasSameFields(one: AnyRecord, other: AnyRecord): boolean {
  const names = Object.keys(one);
  const others = Object.keys(other);
  return (
    names.length === others.length &&
    names.every((name, at) => name === others[at] && Object.is(one[name], other[name]))
  );
}

function sorted(table: Table): AnyRecord[] {
  return [...table.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Returns a list that is up to date: with records replaced, added and left out. */
function updated({ records, changed }: List, shown: Table): AnyRecord[] {
  const list = [...records];
  for (const id of changed) {
    const at = placeIn(list, id);
    const record = shown.get(id);
    const isThere = list[at]?.id === id ? 1 : 0;
    if (record === undefined) list.splice(at, isThere);
    else list.splice(at, isThere, record);
  }
  return list;
}

/** Returns the place of an id in a sorted list, or where it belongs. */
function placeIn(list: readonly AnyRecord[], id: string): number {
  let low = 0;
  for (let high = list.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (list[middle].id < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
