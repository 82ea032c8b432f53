import { DurableObject } from 'cloudflare:workers';
import { type Caller, createRpcServer, RpcObject, RpcTarget, routeRpc } from '@lumenize/rpc/server';
import { presence } from '@lumenize/state/presence/server';
import { Uploads } from '@lumenize/state/uploads/server';

/** What members show. */
export interface Shown {
  name: string;
  colour: string;
  cursor: { x: number; y: number };
  note: unknown;
}

interface User {
  readonly user: string;
}

/** How long members may be silent that have vanished, by the name of the object. */
const GONE_AFTER_MS: Readonly<Record<string, number>> = { impatient: 1500 };

/** How often each object was made in this process. */
const births = new Map<string, number>();

/** An object with members that are present, and files. */
export class RoomObject extends RpcObject<unknown, User | undefined> {
  readonly members = presence<Shown, User | undefined>(this, {
    slow: ['name', 'colour', 'note'],
    person: ({ identity }) => identity?.user,
    known: ({ identity }) => (identity === undefined ? {} : { name: `the ${identity.user}` }),
    goneAfterMs: GONE_AFTER_MS[this.ctx.id.name ?? ''] ?? 45_000,
    maxMembers: this.ctx.id.name === 'small' ? 2 : 1000,
    schema: this.ctx.id.name === 'strict' ? strict : undefined,
  });
  readonly finished: string[] = [];
  readonly files = new Uploads(this.ctx.storage, {
    ...(this.ctx.id.name === 'large' ? {} : { maxBytes: 4_000_000, maxTotalBytes: 6_000_000 }),
    maxFiles: 20,
    types: this.ctx.id.name === 'images' ? ['image/*', 'application/pdf'] : undefined,
    abandonedAfterMs: this.ctx.id.name === 'impatient' ? 1000 : undefined,
    onFinish: ({ name }, owner) => {
      if (name === 'refused') throw new RangeError('no such names');
      this.finished.push(`${owner}: ${name}`);
    },
  });
  readonly disconnected: string[] = [];
  readonly births = (births.get(`${this.ctx.id.name}`) ?? 0) + 1;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    births.set(`${ctx.id.name}`, this.births);
  }

  override target(caller: Caller<User | undefined>): RoomApi {
    return new RoomApi(this, caller);
  }

  protected override onDisconnect({ identity }: Caller<User | undefined>): void {
    this.disconnected.push(`${identity?.user}`);
  }

  override async fetch(request: Request): Promise<Response> {
    const [, id] = /\/files\/(.+)$/.exec(new URL(request.url).pathname) ?? [];
    return id === undefined ? super.fetch(request) : this.files.response(id, request);
  }

  /** The tables in its storage, without those of the platform. */
  tables(): string[] {
    const query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'";
    return this.ctx.storage.sql
      .exec<{ name: string }>(query)
      .toArray()
      .map(({ name }) => name);
  }

  /** The rows of uploads, and of their parts. */
  fileRows(): number[] {
    this.files.sweep(); // makes the tables
    const count = (table: string) =>
      this.ctx.storage.sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n;
    return [count('lumenize_uploads'), count('lumenize_upload_parts')];
  }

  closeAll(): void {
    for (const each of this.connections()) each.close();
  }

  keepInAll(name: string, value: unknown): void {
    for (const each of this.connections()) each.keep(name, value);
  }

  keptInAll(name: string): unknown[] {
    return Array.from(this.connections(), ({ kept }) => kept.get(name));
  }

  heardInAll(): (number | undefined)[] {
    return Array.from(this.connections(), ({ heardAt }) => heardAt);
  }
}

/** A schema that allows a cursor with positive coordinates. */
const strict = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) => {
      const { cursor = { x: 0, y: 0 } } = value as Partial<Shown>;
      return cursor.x >= 0 && cursor.y >= 0
        ? { value: value as Partial<Shown> }
        : { issues: [{ message: 'negative' }] };
    },
  },
} as const;

/** A class that extends something else, with sockets that do not hibernate. */
export class ComposedRoomObject extends DurableObject {
  readonly #rpc = createRpcServer(this.ctx, {
    target: (caller) => new RoomApi(this as unknown as RoomObject, caller as Caller<undefined>),
    hibernate: false,
  });
  readonly members = presence<Shown>(this.#rpc, { goneAfterMs: 1500 });

  heardInAll(): (number | undefined)[] {
    return Array.from(this.#rpc.connections(), ({ heardAt }) => heardAt);
  }

  override fetch(request: Request): Response | Promise<Response> {
    return this.#rpc.fetch(request) ?? new Response('no RPC', { status: 404 });
  }
}

export class RoomApi extends RpcTarget {
  readonly #room: RoomObject;
  readonly #caller: Caller<User | undefined>;

  constructor(room: RoomObject, caller: Caller<User | undefined>) {
    super();
    this.#room = room;
    this.#caller = caller;
  }

  births(): number {
    return this.#room.births;
  }

  tables(): string[] {
    return this.#room.tables();
  }

  fileRows(): number[] {
    return this.#room.fileRows();
  }

  get presence() {
    return this.#room.members.for(this.#caller);
  }

  get files() {
    return this.#room.files.for(this.#caller.identity?.user ?? '');
  }
}

/** Serves rooms, with whoever the URL says as their callers. */
export async function serveRoom(
  request: Request,
  env: { ROOM: DurableObjectNamespace },
): Promise<Response | undefined> {
  const { pathname, searchParams } = new URL(request.url);
  const [, name] = /^\/rooms\/room\/([\w-]+)\/files\//.exec(pathname) ?? [];
  if (name !== undefined) return env.ROOM.getByName(name).fetch(request);
  const user = searchParams.get('user');
  const authenticate = user === null ? undefined : () => ({ user });
  return routeRpc(request, env as object, { bindings: ['ROOM', 'COMPOSED_ROOM'], prefix: '/rooms', authenticate });
}
