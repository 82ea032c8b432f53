import { RpcError, RpcTarget, type SubscribeOptions, type Subscription } from '@lumenize/rpc/server';
import { MAX_TEXT_LENGTH, type Message } from './message.ts';
import type { Room } from './room.ts';

/** How many messages are read at a time. */
const PAGE = 30;

/** How a room is at a moment: what comes after it is that of its topics since `sequence`. */
export interface Entrance {
  readonly messages: Message[];
  readonly sequence: number;
  readonly present: string[];
}

/** What a visitor of a room may call, under the name that they came with. */
export class RoomApi extends RpcTarget {
  static readonly rpc = {
    enter: { readOnly: true },
    earlier: { readOnly: true },
    read: { idempotent: true },
    presence: { idempotent: true },
    announce: { idempotent: true },
    say: { exactlyOnce: true },
  };
  readonly #room: Room;
  readonly #name: string;

  constructor(room: Room, name: string) {
    super();
    this.#room = room;
    this.#name = name;
  }

  /** What was said last, and who is here. */
  enter(): Entrance {
    const { history, messages, present } = this.#room;
    return { messages: history.before(messages.sequence + 1, PAGE), sequence: messages.sequence, present };
  }

  /** What was said before the message with that number, at most thirty messages. */
  earlier(before: number): Message[] {
    if (!Number.isSafeInteger(before))
      throw new RpcError('INVALID_ARGUMENTS', 'before has to be a number of a message');
    return this.#room.history.before(before, PAGE);
  }

  /** Gives each message from now on, or since that number. */
  read(options?: SubscribeOptions): Subscription<Message> {
    return this.#room.messages.subscribe(options);
  }

  /** Gives the names of those who are here, each time when they change. */
  presence(options?: SubscribeOptions): Subscription<string[]> {
    return this.#room.presence.subscribe(options);
  }

  /** Tells everybody who is here, for who has taken another name. */
  announce(): void {
    this.#room.announce();
  }

  /** Says something to everybody; returns the message's number. Row and event are one transaction. */
  say(text: string): number {
    const said = typeof text === 'string' ? text.trim() : '';
    if (said === '' || said.length > MAX_TEXT_LENGTH) {
      throw new RpcError('INVALID_ARGUMENTS', `a message has to be text of 1 to ${MAX_TEXT_LENGTH} characters`);
    }
    const { history, messages } = this.#room;
    const message = { id: messages.sequence + 1, name: this.#name, text: said, at: new Date() };
    history.add(message);
    return messages.publish(message);
  }
}
