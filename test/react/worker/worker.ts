import { type Caller, RpcObject, RpcTarget, routeRpc, type SubscribeOptions } from '@lumenize/rpc/server';

/** A room with a title and messages, for pages that show them. */
export class Room extends RpcObject<unknown, string> {
  readonly messages = this.topic<string>('messages', { retain: 10 });

  override target(caller: Caller<string>): RoomApi {
    return new RoomApi(this, caller.identity);
  }

  get title(): string {
    return this.ctx.storage.kv.get('title') ?? 'untitled';
  }

  set title(title: string) {
    this.ctx.storage.kv.put('title', title);
  }

  get open(): number {
    return [...this.connections()].length;
  }
}

export class RoomApi extends RpcTarget {
  static readonly rpc = { title: { idempotent: true }, read: { idempotent: true } };
  readonly #room: Room;
  readonly #name: string;

  constructor(room: Room, name: string) {
    super();
    this.#room = room;
    this.#name = name;
  }

  title(): string {
    return this.#room.title;
  }

  rename(title: string): void {
    if (title === '') throw new RangeError('a room has a title');
    this.#room.title = title;
  }

  /** Throws where the room has no title of its own. */
  ownTitle(): string {
    if (this.#room.title === 'untitled') throw new RangeError('nobody has named it');
    return this.#room.title;
  }

  say(text: string): number {
    return this.#room.messages.publish(`${this.#name}: ${text}`);
  }

  twice(number: number): number {
    return 2 * number;
  }

  /** Says something when so many milliseconds are over. */
  async sayLater(text: string, ms: number): Promise<number> {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return this.say(text);
  }

  read(options?: SubscribeOptions) {
    return this.#room.messages.subscribe(options);
  }

  /** How many connections the object has. */
  connections(): number {
    return this.#room.open;
  }
}

export default {
  async fetch(request, env) {
    const authenticate = (_request: Request, { token }: { token: string | undefined }) => token ?? 'guest';
    return (await routeRpc(request, env, { authenticate })) ?? new Response('a page', { status: 404 });
  },
} satisfies ExportedHandler<{ ROOM: DurableObjectNamespace }>;
