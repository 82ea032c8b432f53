import {
  type Caller,
  type Credentials,
  callContext,
  expiring,
  type Position,
  RpcObject,
  RpcTarget,
  routeRpc,
  type Topic,
} from '@lumenize/rpc/server';

export interface Person {
  readonly name: string;
}

const LONG_MS = 3_600_000;

/** A token is the name of a person. Without one, `/anyone` lets in nobody, and `/identified` refuses. */
function authenticate(_request: unknown, { token }: Credentials): unknown {
  return token ? expiring({ name: token }, Date.now() + LONG_MS) : undefined;
}

function identifyAnyone(request: unknown, credentials: Credentials): unknown {
  return authenticate(request, credentials) ?? { name: 'nobody' };
}

export async function serveIdentity(
  request: Request,
  env: { IDENTITY: DurableObjectNamespace },
): Promise<Response | undefined> {
  const objects = { identity: env.IDENTITY };
  return (
    (await routeRpc(request, objects, { prefix: '/identified', authenticate })) ??
    (await routeRpc(request, objects, { prefix: '/anyone', authenticate: identifyAnyone }))
  );
}

/** Notes who runs what. Its storage says which version of its target it serves, and whether `target()` fails. */
export class IdentityObject extends RpcObject<unknown, Person> {
  readonly news = this.topic<string>('news');

  override target({ identity }: Caller<Person>): RpcTarget {
    const { kv } = this.ctx.storage;
    if (kv.get('broken')) {
      kv.put('failed', (kv.get<number>('failed') ?? 0) + 1);
      throw new Error('the table of rooms cannot be read');
    }
    if (kv.get('version') === 3) return new LastTarget();
    return kv.get('version') === 2 ? new NextTarget(this, identity) : new IdentityTarget(this, identity);
  }

  note(what: string, who: string): number {
    const { kv } = this.ctx.storage;
    kv.put('notes', [...this.notes(), `${what} by ${who}`]);
    return this.notes().length;
  }

  notes(): string[] {
    return this.ctx.storage.kv.get<string[]>('notes') ?? [];
  }

  get(key: string): unknown {
    return this.ctx.storage.kv.get(key);
  }

  put(key: string, value: unknown): void {
    this.ctx.storage.kv.put(key, value);
  }

  connected(): string[] {
    return [...this.connections()].map(({ caller }) => caller.identity.name);
  }

  endConnections(): void {
    for (const each of this.connections()) each.close();
  }

  named(name: string): Topic<string> {
    return this.topic(name);
  }

  deleteTopic(name: string): void {
    this.named(name).delete();
  }

  /** Counts what the library's tables have, other than of stored results. */
  storedOfTopics(): { rows: number } {
    const { sql } = this.ctx.storage;
    const tables = sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'lumenize%'")
      .toArray();
    const counts = tables.map(({ name }) => sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${name}`).one().n);
    return { rows: counts.reduce((sum, count) => sum + count, 0) };
  }

  /** Ends what the connections of a person are subscribed to. */
  unsubscribe(name: string): void {
    for (const each of this.connections()) {
      if (each.caller.identity.name !== name) continue;
      for (const topic of each.topics) topic.end();
    }
  }
}

/** Who the target was made for, and who calls it. They are always the same. */
export class IdentityTarget extends RpcTarget {
  readonly #object: IdentityObject;
  readonly #madeFor: string;

  constructor(object: IdentityObject, { name }: Person) {
    super();
    this.#object = object;
    this.#madeFor = name;
  }

  whoAmI(): [madeFor: string, caller: string] {
    return [this.#madeFor, callerName()];
  }

  add(what: string): number {
    return this.#object.note(what, callerName());
  }

  /** Has its effect, and ends all connections before the first answer. */
  addAndEnd(what: string): number {
    if (this.#object.notes().length === 0) this.#object.endConnections();
    return this.add(what);
  }

  /** The same. */
  addAgainAndEnd(what: string): number {
    return this.addAndEnd(what);
  }

  version(): number {
    return 1;
  }

  addAgain(what: string): number {
    return this.#object.note(what, callerName());
  }

  addOnce(what: string): number {
    return this.#object.note(what, callerName());
  }

  /** Notes who calls, and never returns. */
  hang(what: string): Promise<void> {
    this.#object.note(what, callerName());
    return new Promise(() => {});
  }

  place(name: string): Place {
    return new Place(this.#object, name);
  }

  subscribe(since?: 0 | Position) {
    return this.#object.news.subscribe({ since });
  }

  publish(event: string): number {
    return this.#object.news.publish(event);
  }

  /** Publishes, and ends all connections before the answer if the object was told to do so at this event. */
  publishOnce(event: string): number {
    const number = this.#object.news.publish(event);
    if (this.#object.get('endsConnections') === number) this.#object.endConnections();
    return number;
  }

  subscribeTo(name: string) {
    return this.#object.named(name).subscribe();
  }

  lengthOf(text: string): number {
    return text.length;
  }

  async *ticks(): AsyncGenerator<number> {
    for (let n = 0; ; n++) yield n;
  }

  static readonly rpc: object = {
    version: { readOnly: true },
    whoAmI: { readOnly: true },
    addAgain: { idempotent: true },
    addAgainAndEnd: { idempotent: true },
    addOnce: { exactlyOnce: true },
    publishOnce: { exactlyOnce: true },
    hang: { idempotent: true },
    place: { restorable: true },
    subscribe: { idempotent: true },
  };
}

/** The next version of the class, which runs `addAndEnd` exactly once, and lets nobody call `addAgainAndEnd`. */
class NextTarget extends IdentityTarget {
  override version(): number {
    return 2;
  }

  static override readonly rpc: object = {
    addAndEnd: { exactlyOnce: true },
    addAgainAndEnd: { idempotent: true, guard: () => false },
  };
}

/** The version after that, which has none of the methods. */
class LastTarget extends RpcTarget {
  version(): number {
    return 3;
  }

  static readonly rpc = { version: { readOnly: true } };
}

/** A place that is found again by its name. */
export class Place extends RpcTarget {
  readonly #object: IdentityObject;
  readonly #name: string;

  constructor(object: IdentityObject, name: string) {
    super();
    this.#object = object;
    this.#name = name;
  }

  enter(): number {
    return this.#object.note(`entered ${this.#name}`, callerName());
  }
}

function callerName(): string {
  return (callContext().caller!.identity as Person).name;
}
