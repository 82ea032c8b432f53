import { type Caller, type ConnectedCaller, RpcError, type Topic } from '@lumenize/rpc/server';
import { memoryJournal } from './journal.ts';
import { checkedFields, idOf, type PresenceHost, type PresenceOptions, withDefaults } from './options.ts';
import { PresenceTarget } from './target.ts';
import type { Changes, Joined, MemberEntry } from './wire.ts';

/** How long answers are held back, so that those of a second leave in one frame. */
const ANSWER_MS = 1000;
/** How long members that were silent have to answer. */
const ANSWERED_MS = 2000;
/** Shortest time between two frames to a follower, in milliseconds. */
const EVERY_MS = 50;
/** The members of one event, which stays far below the largest one. */
const MEMBERS_AN_EVENT = 200;

/** A connection that takes part. */
interface Present {
  readonly connection: ConnectedCaller;
  readonly id: string;
  readonly person: string | undefined;
  readonly joinedAt: number;
  fields: object;
  /** The fields that are kept with the connection, as text. */
  kept: string;
  /** When it has last called, in milliseconds since 1970. */
  calledAt: number;
}

/**
 * The members that are present in an object, and what each of them shows. All of it is in memory, but for the slow
 * fields, which are kept with their connections. Nothing is stored.
 */
export class Presence<Fields extends object, Identity = unknown> {
  readonly #host: PresenceHost;
  readonly #options: ReturnType<typeof withDefaults<Fields>>;
  readonly #checkMs: number;
  readonly #journal = memoryJournal();
  #present: Map<string, Present> | undefined;
  /** The members whose fast fields were lost when the object hibernated. */
  readonly #unknown = new Set<Present>();
  /** What followers are not told yet. */
  readonly #changes = new Map<string, MemberEntry | object | readonly string[] | null>();
  #timer: unknown;
  #tickedAt = 0;
  #checkedAt = 0;
  #answer: PromiseWithResolvers<void> | undefined;
  #answerAt = 0;

  /** @internal */
  constructor(host: PresenceHost, options: PresenceOptions<Fields>) {
    this.#host = host;
    this.#options = withDefaults(options);
    const { name, goneAfterMs } = this.#options;
    this.#checkMs = goneAfterMs / 3;
    host.watchDisconnects(({ connectionId }, kept) => kept.has(name) && this.#remove(connectionId));
  }

  /** Returns the target of a caller, for a getter of your own target. */
  for(caller: Caller<Identity>): PresenceTarget<Fields> {
    return new PresenceTarget<Fields>(this as unknown as Presence<Fields>, caller);
  }

  /** The callers that are present, with what they show. */
  get members(): { readonly caller: Caller<Identity>; readonly fields: Readonly<Partial<Fields>> }[] {
    return Array.from(this.#all.values(), ({ connection, fields }) => ({
      caller: connection.caller as Caller<Identity>,
      fields: fields as Partial<Fields>,
    }));
  }

  /** @internal */
  get topic(): Topic<Changes> {
    return this.#host.topic(this.#options.name, { journal: this.#journal });
  }

  /** @internal */
  join(caller: Caller, fields: unknown): Joined {
    const all = this.#all;
    const known = all.get(caller.connectionId);
    const member = known ?? this.#member(this.#connectionOf(caller), {}, Date.now());
    if (known === undefined && all.size >= this.#options.maxMembers) {
      throw new RpcError('LIMIT_EXCEEDED', `maxMembers: ${all.size} are present already`);
    }
    this.#change(member, fields, true);
    all.set(caller.connectionId, member);
    // Those that are here already have seen them, and the newcomer has not.
    if (known === undefined && this.#unknown.size > 0) {
      this.#ask([...this.#unknown]);
      this.#unknown.clear();
    }
    const members = Object.fromEntries(Array.from(all.values(), (each) => [each.id, entryOf(each)]));
    return [member.id, this.#checkMs, members];
  }

  /** @internal */
  set(caller: Caller, fields: unknown): Promise<void> {
    const member = this.#all.get(caller.connectionId);
    if (member === undefined) this.join(caller, fields);
    else this.#change(member, fields, false);
    if (this.#answer === undefined) {
      this.#answer = Promise.withResolvers();
      this.#answerAt = Date.now() + ANSWER_MS;
    }
    return this.#answer.promise;
  }

  /** @internal */
  leave({ connectionId }: Caller): void {
    const member = this.#all.get(connectionId);
    member?.connection.keep(this.#options.name, undefined);
    if (member !== undefined) this.#remove(connectionId);
  }

  /** @internal */
  check(): void {
    // Clients look around when they have heard nothing for a while: one of them is enough.
    if (Date.now() - this.#checkedAt < this.#checkMs / 2) return;
    this.#look();
  }

  /** The members by their connections. After hibernation they are those that have kept something. */
  get #all(): Map<string, Present> {
    if (this.#present === undefined) {
      this.#present = new Map();
      for (const connection of this.#host.connections()) {
        const kept = connection.kept.get(this.#options.name) as [slow: object, joinedAt: number] | undefined;
        if (kept === undefined) continue;
        const member = this.#member(connection, kept[0], kept[1]);
        this.#present.set(connection.caller.connectionId, member);
        this.#unknown.add(member);
      }
    }
    return this.#present;
  }

  #member(connection: ConnectedCaller, slow: object, joinedAt: number): Present {
    const { person, known } = this.#options;
    const { caller } = connection;
    return {
      connection,
      id: idOf(caller.connectionId),
      person: person?.(caller),
      joinedAt,
      fields: { ...slow, ...known?.(caller) },
      kept: JSON.stringify(slow),
      calledAt: joinedAt,
    };
  }

  #connectionOf({ connectionId }: Caller): ConnectedCaller {
    for (const connection of this.#host.connections()) {
      if (connection.caller.connectionId === connectionId) return connection;
    }
    throw new RpcError('DENIED', 'only a connection that lasts can be present');
  }

  #change(member: Present, given: unknown, isWhole: boolean): void {
    const { name, slow, known } = this.#options;
    const { id, connection, joinedAt } = member;
    const own = checkedFields(given, isWhole ? {} : member.fields, this.#options);
    const fields: Record<string, unknown> = { ...own, ...known?.(connection.caller) };
    const kept = JSON.stringify(pick(own, slow));
    if (kept !== member.kept || isWhole) connection.keep(name, [JSON.parse(kept), joinedAt]);
    const before = this.#changes.get(id);
    Object.assign(member, { fields, kept, calledAt: Date.now() });
    if (isWhole) this.#unknown.delete(member);
    const isAll = isWhole || Array.isArray(before);
    this.#changes.set(id, isAll ? entryOf(member) : { ...before, ...pick(fields, Object.keys(given as object)) });
    this.#wait();
  }

  #remove(connectionId: string): void {
    const member = this.#all.get(connectionId);
    this.#all.delete(connectionId);
    this.#unknown.delete(member!);
    this.#changes.set(idOf(connectionId), null);
    this.#wait();
  }

  /** Asks members for all that they show. */
  #ask(members: readonly Present[]): void {
    const asked = (this.#changes.get('') ?? []) as readonly string[];
    this.#changes.set('', [...asked, ...members.map(({ id }) => id)]);
    this.#wait();
  }

  /** Asks members that are silent for a sign of life, and removes those that give none. */
  #look(): void {
    const now = Date.now();
    this.#checkedAt = now;
    // Clients send heartbeats as often as they look around.
    const silent = [...this.#all.values()].filter((each) => now - heardAt(each) > (this.#checkMs * 4) / 3);
    // Also nobody: followers learn that somebody has looked.
    this.#ask(silent);
    if (silent.length === 0) return;
    setTimeout(
      () => {
        for (const each of silent) if (heardAt(each) < now) this.leave(each.connection.caller);
      },
      Math.min(ANSWERED_MS, this.#checkMs),
    );
  }

  /** Tells followers at the end of this interval. */
  #wait(): void {
    this.#timer ??= setTimeout(() => this.#tick(), Math.max(0, this.#tickedAt + EVERY_MS - Date.now()));
  }

  /** Sends what has changed, or the answers that were held back: together they are one frame an interval. */
  #tick(): void {
    const now = Date.now();
    this.#tickedAt = now;
    const areAnswersDue = this.#answer !== undefined && now >= this.#answerAt;
    if (this.#changes.size > 0 && !areAnswersDue) {
      if (now - this.#checkedAt >= this.#checkMs) this.#look();
      const changes = [...this.#changes];
      this.#changes.clear();
      for (let at = 0; at < changes.length; at += MEMBERS_AN_EVENT) {
        this.topic.publish(Object.fromEntries(changes.slice(at, at + MEMBERS_AN_EVENT)));
      }
    } else {
      this.#answer?.resolve();
      this.#answer = undefined;
    }
    this.#timer = undefined;
    if (this.#changes.size > 0 || this.#answer !== undefined) this.#wait();
  }
}

/** Returns some fields, undefined for those that there are none of. */
function pick(fields: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, (fields as Record<string, unknown>)[name]]));
}

function entryOf({ fields, person }: Present): MemberEntry {
  return person === undefined ? [fields] : [fields, person];
}

/** When a member was last heard. A connection that has no heartbeats is there as long as it is open. */
function heardAt({ connection, calledAt }: Present): number {
  return Math.max(calledAt, connection.heardAt ?? Date.now());
}
