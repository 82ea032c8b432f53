import { RpcObject, RpcTarget, type SubscribeOptions } from '@lumenize/rpc/server';

/** A room with a title and messages. */
export class Room extends RpcObject {
  readonly messages = this.topic<string>('messages', { retain: 100 });

  override target(): RoomApi {
    return new RoomApi(this, this.ctx.storage);
  }
}

export class RoomApi extends RpcTarget {
  static readonly rpc = { title: { idempotent: true }, read: { idempotent: true } };
  readonly #room: Room;
  readonly #storage: DurableObjectStorage;

  constructor(room: Room, storage: DurableObjectStorage) {
    super();
    this.#room = room;
    this.#storage = storage;
  }

  title(): string {
    return this.#storage.kv.get('title') ?? 'A room';
  }

  rename(title: string): void {
    this.#storage.kv.put('title', title);
  }

  say(text: string): number {
    return this.#room.messages.publish(text);
  }

  read(options?: SubscribeOptions) {
    return this.#room.messages.subscribe(options);
  }
}
