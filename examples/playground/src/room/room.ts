import { type Caller, RpcObject } from '@lumenize/rpc/server';
import { History } from './history.ts';
import type { Message } from './message.ts';
import { RoomApi } from './room-api.ts';

/** A chat room: what was said is in SQLite, what is being said goes out on topics, and who is there is who is connected. */
export class Room extends RpcObject<unknown, string> {
  readonly history = new History(this.ctx.storage);
  /** Who was away for longer than that reads the history anew. */
  readonly messages = this.topic<Message>('messages', { retain: 100 });
  /** Only how it is now is of interest. */
  readonly presence = this.topic<string[]>('presence', { retain: 1 });

  override target(caller: Caller<string>): RoomApi {
    return new RoomApi(this, caller.identity);
  }

  /** The names of those who are connected, each once: also when the object has just woken. */
  get present(): string[] {
    return [...new Set(Array.from(this.connections(), ({ caller }) => caller.identity))].toSorted();
  }

  /** Tells everybody who is here. */
  announce(): void {
    this.presence.publish(this.present);
  }

  protected override onConnect(): void {
    this.announce();
  }

  protected override onDisconnect(): void {
    this.announce();
  }
}
