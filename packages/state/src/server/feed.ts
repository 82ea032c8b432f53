import type { Message } from '@lumenize/rpc';
import { encode, stringify } from '@lumenize/rpc/adapter';
import type { EpochRun, Position, Resumed, Topic, TopicJournal, TurnEvents } from '@lumenize/rpc/server';
import type { Plain } from '../fields.ts';
import type { Identified } from '../records.ts';
import type { StateEvent } from '../wire.ts';
import { changedFields } from './changed-fields.ts';
import type { Collection } from './collection.ts';
import { type Entry, writePages } from './pages.ts';
import { FIRST_VERSION, type Row, type Rows } from './rows.ts';

/** Returns what those who see a view see of a record; undefined if they do not see it. */
// biome-ignore lint/suspicious/noExplicitAny: the types are those of the state
export type Look = (record: any) => Identified | undefined;

/** What of a collection a view shows. */
export interface Shown {
  readonly name: string;
  readonly collection: Collection<Identified>;
  /** Undefined if all of each record is shown. */
  readonly look: Look | undefined;
}

/** A record that was changed in a turn. */
export interface Changed {
  readonly before: Row | undefined;
  readonly after: Row;
}

/** What has become of a turn. */
export interface Turn {
  readonly version: number;
  readonly changed: readonly Changed[];
  /** True if followers have to learn everything anew, because the storage was emptied. */
  readonly isOther: boolean;
  readonly calls: ReadonlyMap<string, readonly number[]>;
}

/** The parts of a state that its feeds need. */
export interface FeedHost {
  readonly rows: Rows;
  /** Ends the turn, if that was not done yet. Returns what was stored in it; undefined if that is nothing. */
  commit(): Turn | undefined;
  /** Makes sure that the rows are those that memory knows. */
  check(): void;
}

/** Matches an epoch: its run, its view, and, while a follower has not got all that it missed, the version it had before. */
const EPOCH = /^([^/!]*)(\/[^!]*)?(?:!(\d+))?$/;
/** Whoever has nothing yet. */
const NOTHING = '!0';
/** The text in pages that is kept for others who have missed the same, in UTF-16 units. */
const MAX_KEPT = 4_194_304;

/**
 * The journal of a topic whose events are the changes of a state. It stores nothing: what a follower has missed is read
 * from the records.
 */
export class Feed implements TopicJournal {
  readonly storesLater = true;
  topic!: Topic<StateEvent>;
  readonly #host: FeedHost;
  readonly #suffix: string;
  readonly #shown: readonly Shown[];
  /** The numbers of the collections, by their names. */
  readonly #numbers: ReadonlyMap<string, number>;
  #kept: { readonly what: string; readonly pages: readonly Message[] } | undefined;

  constructor(host: FeedHost, view: string, shown: readonly Shown[]) {
    this.#host = host;
    this.#suffix = view === '' ? '' : `/${view}`;
    this.#shown = shown;
    this.#numbers = new Map(shown.map(({ name }, number) => [name, number]));
  }

  get ownEpoch(): string {
    return this.#host.rows.run + this.#suffix;
  }

  get newest(): Position {
    return [this.ownEpoch, this.#host.rows.newest];
  }

  prepare(): void {
    this.#host.check();
  }

  append(): number {
    return this.#host.rows.newest + 1;
  }

  /** The events are those that `turnEvents` makes: all of them, or none. */
  commitTurn(): number {
    return this.#host.commit() === undefined ? -1 : Number.MAX_SAFE_INTEGER;
  }

  turnEvents(): TurnEvents | undefined {
    const { version, changed, calls, isOther } = this.#host.commit()!;
    const events = isOther ? this.#pages(undefined) : [encode(this.#changes(changed)) as Message];
    return { epoch: this.ownEpoch, first: version - events.length + 1, events, calls };
  }

  resume([epoch, version]: Position): Resumed {
    const { rows } = this.#host;
    const [, run, suffix = '', base = version] = EPOCH.exec(epoch) ?? [];
    const isKnown = suffix === this.#suffix && run !== undefined && rows.isKnown(run, Number(base));
    const since: Position | undefined = isKnown ? [run + suffix, Number(base)] : undefined;
    const before = since === undefined ? NOTHING : since.join('!');
    return {
      last: Math.max(0, rows.newest - FIRST_VERSION),
      missed: Number.POSITIVE_INFINITY,
      // Until it has all pages, it has what it had before.
      epoch: before,
      missedEvents: () => this.#missed(before, since),
    };
  }

  read(): undefined {}

  delete(): void {}

  *#missed(before: string, since: Position | undefined): Generator<EpochRun> {
    const { newest } = this.#host.rows;
    const pages = this.#pages(since);
    for (const [at, page] of pages.entries()) {
      const isLast = at === pages.length - 1;
      yield { epoch: isLast ? this.ownEpoch : before, first: newest - pages.length + 1 + at, events: [page] };
    }
  }

  /** Writes what has changed since a position, or everything. Many followers come back at once, when an object was away. */
  #pages(since: Position | undefined): readonly Message[] {
    const what = JSON.stringify([since, this.newest]);
    if (this.#kept?.what === what) return this.#kept.pages;
    const collections = this.#shown.map(({ name }) => name);
    const pages = writePages(since === undefined ? { collections } : { collections, since }, this.#entries(since?.[1]));
    const size = pages.reduce((sum, { length }) => sum + length, 0);
    this.#kept = size <= MAX_KEPT ? { what, pages } : undefined;
    return pages;
  }

  *#entries(since: number | undefined): Generator<Entry> {
    for (const row of this.#host.rows.since(since)) {
      const number = this.#numbers.get(row.collection);
      if (number === undefined) continue;
      const { collection, look } = this.#shown[number];
      const { id, data } = row;
      const isText = data === null || (look === undefined && collection.isOf(row.format));
      const text = isText ? (data ?? undefined) : textOf(this.#look(row));
      // A snapshot says nothing of what is not there.
      if (text !== undefined || since !== undefined) yield { collection: number, id, text };
    }
  }

  /** Returns what a row shows; undefined for a tombstone, and for what is hidden. */
  #look(row: Row): Plain | undefined {
    const { collection, look = (record: Identified) => record } = this.#shown[this.#numbers.get(row.collection)!];
    const record = collection.read(row);
    return (record && look(record)) as Plain | undefined;
  }

  /** Returns the event that tells of changes; zero if there is nothing to see. */
  #changes(changed: readonly Changed[]): StateEvent {
    const list: unknown[] = [];
    let last = 0;
    for (const { before, after } of changed) {
      const number = this.#numbers.get(after.collection);
      if (number === undefined) continue;
      const old = before && this.#look(before);
      const record = this.#look(after);
      const change = changeOf(after.id, old, record);
      if (change.length === 0) continue;
      if (number !== last) list.push(number);
      last = number;
      list.push(...change);
    }
    return list.length > 0 ? list : 0;
  }
}

function textOf(record: Plain | undefined): string | undefined {
  return record && stringify(record);
}

/** Returns the change that makes one record of another. */
function changeOf(id: string, old: Plain | undefined, record: Plain | undefined): unknown[] {
  if (record === undefined) return old === undefined ? [] : [id, null];
  const fields = old && changedFields(old, record);
  if (fields === undefined) return [record];
  return Object.keys(fields).length > 0 ? [id, fields] : [];
}
