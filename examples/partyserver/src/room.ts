import { type Caller, RpcTarget, type SubscribeOptions } from '@lumenize/rpc/server';
import type { Connection } from 'partyserver';
import { RpcParty } from './rpc-party.ts';

/** A room in which clients of partyserver and callers by RPC hear each other. */
export class Room extends RpcParty<Cloudflare.Env, string> {
  readonly #messages = this.topic<string>('messages', { retain: 100 });
  #greeting = '';

  override onStart(): void {
    this.#greeting = `Welcome to ${this.name}`;
  }

  override target(caller: Caller<string>): RoomApi {
    return new RoomApi(this, caller.identity);
  }

  override onMessage(_connection: Connection, message: string): void {
    this.say(message);
  }

  get greeting(): string {
    return this.#greeting;
  }

  /** How many sockets of partyserver there are. */
  get listeners(): number {
    return [...this.getConnections()].length;
  }

  say(text: string): number {
    this.broadcast(text);
    return this.#messages.publish(text);
  }

  messages(options?: SubscribeOptions) {
    return this.#messages.subscribe(options);
  }
}

export class RoomApi extends RpcTarget {
  static readonly rpc = { messages: { idempotent: true } };
  readonly #room: Room;
  readonly #name: string;

  constructor(room: Room, name: string) {
    super();
    this.#room = room;
    this.#name = name;
  }

  greeting(): string {
    return this.#room.greeting;
  }

  listeners(): number {
    return this.#room.listeners;
  }

  say(text: string): number {
    return this.#room.say(`${this.#name}: ${text}`);
  }

  messages(options?: SubscribeOptions) {
    return this.#room.messages(options);
  }
}
