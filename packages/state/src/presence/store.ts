import { connection, placeOf, type Remote, type Subscription } from '@lumenize/rpc';
import { waitAfter } from '../retry.ts';
import type { PresenceTarget } from './target.ts';
import type { Changes, Joined, MemberEntry } from './wire.ts';

/** A connection that is present, and what it shows. */
export type Member<Fields extends object> = Readonly<Partial<Omit<Fields, 'id' | 'person'>>> & {
  /** The id of the member. A client that connects again is another one. */
  readonly id: string;
  /** The person that the member belongs to, if the object says so: the same for all of its tabs. */
  readonly person: string | undefined;
};

/** Who is there, as a component shows it. It is another object after each change. */
export interface PresenceView<Fields extends object> {
  /** The member that this client is, with all that it has set; undefined before it has joined. */
  readonly self: Member<Fields> | undefined;
  /** All other members, in the order in which they came. A member that has not changed is the same object. */
  readonly others: readonly Member<Fields>[];
  /** The error with which joining has failed. If it is `retryable`, it is tried again. */
  readonly error: unknown;
}

/** A store of who is there. It joins when it is first subscribed to or set, and leaves when nobody subscribes any more. */
export interface PresenceStore<Fields extends object> {
  /** Returns who is there. It is the same object until something changes. */
  get(): PresenceView<Fields>;
  /** Nobody: on a server, and while a page hydrates. */
  readonly initial: PresenceView<Fields>;
  /** Calls `changed` after every change, until the returned function is called. */
  subscribe(changed: () => void): () => void;
  /** Changes some of the fields that this client shows; undefined removes one. */
  set(fields: Partial<Fields>): void;
  /** Leaves at once. Subscribing or setting joins again. */
  close(): void;
}

/** The target as a client calls it. */
interface Api {
  follow(): Promise<Subscription<Changes>>;
  join(fields: object): Promise<Joined>;
  set(fields: object): Promise<void>;
  check(): Promise<void>;
  leave(): Promise<void>;
}

/** How long a store stays after its last subscriber: a component may be mounted again, and one page follow another. */
const UNUSED_MS = 1000;
/** Shortest time between two changes that are sent, in milliseconds. */
const EVERY_MS = 50;

// biome-ignore lint/suspicious/noExplicitAny: stores of any fields
const stores = new WeakMap<object, Map<string, PresenceStore<any>>>();

/**
 * Returns the store of a presence: the same one each time for the same place of the same connection. `stub` is the
 * member of your target that has what `for()` of the object's presence returned.
 * @throws {TypeError} if the value is not a stub
 */
export function presenceStore<Fields extends object>(
  stub: Remote<PresenceTarget<Fields>> & object,
): PresenceStore<Fields> {
  const { start, path } = placeOf(stub);
  const known = stores.get(start) ?? new Map<string, PresenceStore<Fields>>();
  stores.set(start, known);
  const key = path.join('/');
  const store = known.get(key) ?? createStore<Fields>(stub as unknown as Api);
  known.set(key, store);
  return store;
}

/** Returns members by their persons. A member without one is by itself. */
export function byPerson<Fields extends object>(members: readonly Member<Fields>[]): Map<string, Member<Fields>[]> {
  return Map.groupBy(members, ({ id, person = id }) => person);
}

function createStore<Fields extends object>(api: Api): PresenceStore<Fields> {
  type View = PresenceView<Fields>;
  const its = connection(api);
  const initial: View = { self: undefined, others: [], error: undefined };
  const listeners = new Set<() => void>();
  let view = initial;
  let members = new Map<string, Member<Fields>>();
  /** The id of this member; undefined while it has not joined. */
  let id: string | undefined;
  /** All that this side shows, and what the server does not know of it. */
  let own: Partial<Fields> = {};
  let unsent: Partial<Fields> = {};
  /** The subscription that counts, or what stands for it. */
  let current: { following?: Subscription<Changes> } | undefined;
  let checkMs = 0;
  let sentAt = 0;
  let heardAt = 0;
  let sending: ReturnType<typeof setTimeout> | undefined;
  let checking: ReturnType<typeof setTimeout> | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;
  let unlisten = () => {};

  const show = (error?: unknown) => {
    const others = [...members.values()].filter((member) => member.id !== id);
    view = { self: members.get(id!), others, error };
    for (const changed of listeners) changed();
  };
  const put = (key: string, fields: object, before?: Member<Fields>, person = before?.person) => {
    members.set(key, { ...before, ...fields, id: key, person } as Member<Fields>);
  };
  const enter = (key: string, [fields, person]: MemberEntry) => put(key, fields, undefined, person);
  const change = (key: string, fields: object) => put(key, fields, members.get(key));

  const join = async (session: typeof current) => {
    unsent = {};
    const joined = await api.join(own);
    if (session !== current) return;
    [id, checkMs] = joined;
    members = new Map();
    for (const [key, entry] of Object.entries(joined[2])) enter(key, entry);
    change(id, own); // with what was set meanwhile
    heardAt = Date.now();
    wait();
    sendSoon();
    show();
  };

  /** Joins and follows, until there is another session or an error that does not pass. */
  const follow = async (session: NonNullable<typeof current>) => {
    while (session === current) {
      try {
        const following = api.follow().then((subscription) => {
          session.following = subscription;
        });
        // In one frame: nothing comes between the answer and the changes behind it.
        await Promise.all([following, join(session)]);
        if (session !== current) return;
        for await (const { event, missed } of session.following!) {
          if (session !== current) return;
          heardAt = Date.now();
          // After hibernation the numbers begin anew, and nothing was missed.
          if (missed === undefined) apply(event);
          else if (missed < Infinity) start();
        }
        return;
      } catch (error) {
        if (session !== current) return;
        show(error);
        await waitAfter(error);
      } finally {
        void session.following?.return?.();
      }
    }
  };

  const start = () => {
    void current?.following?.return?.();
    current = {};
    id = undefined;
    follow(current).catch(() => {}); // the error is shown
  };
  /** Joins, if this client has not. */
  const begin = () => {
    if (current !== undefined) return;
    unlisten = its.onStateChange((state) => {
      // Over another connection it is another member. Until it has joined, the call to join waits.
      if (state === 'open' && id !== undefined) start();
    });
    start();
  };

  const apply = (changes: Changes) => {
    let isShown = false;
    for (const [key, fields] of Object.entries(changes)) {
      if (key === '') {
        if (!(fields as readonly string[]).includes(id!)) continue;
        unsent = { ...own };
        send();
      } else if (key === id) {
        // The server took it for gone.
        if (fields === null) return start();
      } else {
        isShown = true;
        if (fields === null) members.delete(key);
        else if (Array.isArray(fields)) enter(key, fields as unknown as MemberEntry);
        else change(key, fields);
      }
    }
    if (isShown) show();
  };

  const send = () => {
    clearTimeout(sending!);
    sending = undefined;
    if (id === undefined || its.state !== 'open') return;
    sentAt = Date.now();
    // What is lost with the connection is told anew over the next one.
    api.set(unsent).catch(() => {});
    unsent = {};
  };
  const sendSoon = () => {
    if (Object.keys(unsent).length > 0) sending ??= setTimeout(send, Math.max(0, sentAt + EVERY_MS - Date.now()));
  };
  /** Sends a heartbeat now and then, and looks for members that have vanished if nobody else has. */
  const wait = () => {
    clearTimeout(checking!);
    checking = setTimeout(
      () => {
        const isSilent = Date.now() - heardAt >= checkMs;
        if (isSilent) heardAt = Date.now();
        if (its.state === 'open') {
          its.open();
          if (isSilent && members.size > 1) api.check().catch(() => {});
        }
        wait();
      },
      heardAt + checkMs * (1 + Math.random() / 10) - Date.now(),
    );
  };

  const close = () => {
    if (current === undefined) return;
    void current.following?.return?.();
    current = id = undefined;
    members = new Map();
    view = initial;
    unlisten();
    for (const timer of [sending, checking, leaving]) clearTimeout(timer!);
    sending = undefined;
    if (its.state === 'open') api.leave().catch(() => {});
    for (const changed of listeners) changed();
  };

  return {
    initial,
    get: () => view,
    subscribe(changed) {
      // A function of its own, since the same one may subscribe twice.
      const listener = () => changed();
      listeners.add(listener);
      clearTimeout(leaving!);
      begin();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) leaving = setTimeout(close, UNUSED_MS);
      };
    },
    set(fields) {
      own = { ...own, ...fields };
      unsent = { ...unsent, ...fields };
      if (current === undefined) return begin();
      if (id === undefined) return;
      change(id, fields);
      show();
      sendSoon();
    },
    close,
  };
}
