import { callContext, type Position, type RpcObject, type Topic, type TopicOptions } from '@lumenize/rpc/server';
import type { Follow, Identified, RecordTypes, StateChange } from '../records.ts';
import type { StateEvent } from '../wire.ts';
import { Collection, type CollectionOptions } from './collection.ts';
import { type Changed, Feed, type FeedHost, type Look, type Shown, type Turn } from './feed.ts';
import { type Row, Rows } from './rows.ts';

/** The parts of an object that its state needs, for a class that cannot extend `RpcObject`. */
export interface StateHost {
  /** The object's state, with its storage. */
  readonly ctx: { readonly storage: { readonly sql: SqlStorage } };
  /** Returns a topic, as `topic()` of `createRpcServer` does. */
  topic<Event>(name: string, options?: TopicOptions): Topic<Event>;
}

/** What the callers of a group see: a function for each collection that they see something of. */
export type View<Records extends RecordTypes> = {
  readonly [Name in keyof Records]?: (record: Records[Name]) => Records[Name] | undefined;
};

/** Options of a state. */
export interface StateOptions<Records extends RecordTypes> {
  /**
   * What groups of callers see, by the names of the groups. For a record, a function returns what is seen of it, or
   * undefined if it is hidden. It has to return the same each time. Changes are encoded once for each group.
   */
  readonly views?: Readonly<Record<string, View<Records>>>;
  /** The number of what the views show. Raise it when they show something else. @default 1 */
  readonly format?: number;
}

/** The options of all collections. */
export type CollectionsOf<Records extends RecordTypes> = {
  readonly [Name in keyof Records]: CollectionOptions<Records[Name]>;
};

/**
 * The state of an object: collections of records, which clients follow. The changes of a turn get one version, and are
 * sent when it ends, before the calls that have made them are answered.
 */
export class State<Records extends RecordTypes> {
  /** The collections, by their names. */
  readonly collections: { readonly [Name in keyof Records]: Collection<Records[Name]> };
  readonly #rows: Rows;
  readonly #feeds = new Map<string, Feed>();
  /** What was stored of the records that were changed in this turn, by collection and id. */
  #before = new Map<string, Row | undefined>();
  #calls = new Map<string, number[]>();
  /** True from the first change of a turn until it has ended. */
  #isChanging = false;
  #isOther = false;
  #turn: Turn | undefined;

  /**
   * Makes the state of an object, in its constructor or as a field: before anything else of the object is used.
   * @throws {TypeError} if the object has no SQLite storage
   */
  constructor(
    // biome-ignore lint/suspicious/noExplicitAny: the environment and the identities are the object's own
    object: RpcObject<any, any> | StateHost,
    collections: CollectionsOf<Records>,
    { views = {}, format = 1 }: StateOptions<Records> = {},
  ) {
    // Members of `RpcObject` that are protected in its type.
    const host = object as unknown as StateHost;
    const options = Object.entries<CollectionOptions<Identified>>(collections);
    const shape = JSON.stringify([format, ...options.map(([name, { format = 1 }]) => [name, format])]);
    this.#rows = new Rows(host.ctx.storage.sql, shape);
    const made = options.map(([name, its]) => [name, this.#collection(name, its)] as const);
    this.collections = Object.fromEntries(made) as never;
    this.#feed(host, '', (name) => [{ name, collection: new Map(made).get(name)!, look: undefined }], made);
    for (const [view, looks] of Object.entries(views)) {
      const shown = (name: string): Shown[] => {
        const look = (looks as Record<string, Look | undefined>)[name];
        return look === undefined ? [] : [{ name, collection: new Map(made).get(name)!, look }];
      };
      this.#feed(host, view, shown, made);
    }
  }

  /** The position of the newest change. */
  get position(): Position {
    this.#check();
    return [this.#rows.run, this.#rows.newest];
  }

  /**
   * Returns the value that a method returns to let its caller follow the state, all of it or what a view shows. `since`
   * is what `follow()` of the client gives: the caller gets what has changed since, or everything if that is not known.
   * The method decides who may follow, and sees what; declare it `idempotent`.
   * @throws {TypeError} if there is no such view
   * @throws {RpcError} `INVALID_ARGUMENTS` if `since` is no position
   */
  follow(since?: Position | undefined, view = ''): Follow<Records> {
    const feed = this.#feeds.get(view);
    if (feed === undefined) throw new TypeError(`the state has no view ${JSON.stringify(view)}`);
    return feed.topic.subscribe({ since: since ?? 0 }) as unknown as Follow<Records> & StateChange<Records> as never;
  }

  /** Tells all followers what there is now. Call it after `deleteAll()`; otherwise they learn of it with the next change. */
  reload(): void {
    this.#check();
    this.#isOther = true;
    this.#begin();
  }

  #feed(
    host: StateHost,
    view: string,
    shown: (name: string) => Shown[],
    made: readonly (readonly [string, unknown])[],
  ) {
    const feedHost: FeedHost = { rows: this.#rows, commit: () => this.#commit(), check: () => this.#check() };
    const feed = new Feed(
      feedHost,
      view,
      made.flatMap(([name]) => shown(name)),
    );
    feed.topic = host.topic<StateEvent>(view, { journal: feed });
    this.#feeds.set(view, feed);
  }

  #collection(name: string, options: CollectionOptions<Identified>): Collection<Identified> {
    const rows = this.#rows;
    return new Collection(
      name,
      {
        get: (id) => rows.get(name, id),
        all: () => rows.of(name),
        get count() {
          return rows.count(name);
        },
        write: (id, format, data, before) => {
          this.#check();
          this.#begin();
          const key = JSON.stringify([name, id]);
          if (!this.#before.has(key)) this.#before.set(key, before);
          this.#noteCall();
          rows.write({ collection: name, id, version: rows.newest + 1, format, data });
        },
      },
      options,
    );
  }

  /** Makes sure that memory knows what is stored, and that followers learn of it if it is something else. */
  #check(): void {
    if (!this.#rows.check()) return;
    this.#isOther = true;
    this.#begin();
  }

  /** Begins the changes of a turn. The topics ask for them when it ends. */
  #begin(): void {
    if (this.#isChanging) return;
    this.#isChanging = true;
    this.#turn = undefined;
    for (const [view, { topic }] of this.#feeds) if (view === '' || topic.subscribers > 0) topic.publish(0);
  }

  /** Notes the call that makes a change: its caller's store knows by it what it has expected. */
  #noteCall(): void {
    const { caller, callId } = currentCall();
    if (caller === undefined) return;
    const known = this.#calls.get(caller.connectionId);
    if (known === undefined) this.#calls.set(caller.connectionId, [callId]);
    else if (!known.includes(callId)) known.push(callId);
  }

  /** Ends the turn. What was rolled back meanwhile is not stored any more, and counts as not changed. */
  #commit(): Turn | undefined {
    if (!this.#isChanging) return this.#turn;
    const version = this.#rows.newest + 1;
    const before = this.#before;
    const calls = this.#calls;
    this.#before = new Map();
    this.#calls = new Map();
    this.#isChanging = false;
    if (this.#rows.check()) this.#isOther = true;
    const isOther = this.#isOther;
    this.#isOther = false;
    const changed = [...before].flatMap(([key, old]): Changed[] => {
      const [collection, id] = JSON.parse(key) as [string, string];
      const after = this.#rows.get(collection, id);
      return after?.version === version ? [{ before: old, after }] : [];
    });
    if (!isOther && changed.length === 0) return undefined;
    const deleted = changed.filter(({ after }) => after.data === null).length;
    this.#rows.commit(isOther ? this.#rows.newest + 1 : version, deleted);
    this.#turn = { version: this.#rows.newest, changed, calls, isOther };
    return this.#turn;
  }
}

function currentCall(): Partial<ReturnType<typeof callContext>> & { callId: number } {
  try {
    return callContext();
  } catch {
    return { callId: 0 }; // an alarm, for example
  }
}
