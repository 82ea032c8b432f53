// What the page calls. The page imports its type, so nothing here is of the Workers runtime.
import {
  type ApiOf,
  type Methods,
  type Position,
  RpcError,
  RpcTarget,
  type SubscribeOptions,
  type Subscription,
} from '@lumenize/rpc/server';
import { z } from 'zod';
import { type Card, type Change, COLUMNS, type ColumnName, type User } from '../shared/cards.ts';

/** What the object does for its target. */
export interface Cards {
  load(): { cards: Card[]; position: Position };
  find(id: string): Card | undefined;
  put(card: Card): void;
  remove(id: string): void;
  changes(options?: SubscribeOptions): Subscription<Change>;
  putPicture(name: string, type: string, content: Uint8Array): void;
  picture(name: string): Blob | undefined;
}

const Id = z.uuid();
const Title = z.string().trim().min(1).max(200);
const PICTURE_TYPE = /^image\/(png|jpeg|webp|gif)$/;
const MAX_PICTURE_BYTES = 1_000_000;

/** A board for one of its users. */
export class BoardTarget extends RpcTarget {
  static readonly rpc = {
    load: { readOnly: true },
    changes: { idempotent: true },
    add: { args: [Id, Title, z.enum(COLUMNS).default('todo')], exactlyOnce: true },
    rename: { args: [Id, Title], exactlyOnce: true },
    move: { args: [Id, z.enum(COLUMNS)], exactlyOnce: true },
    remove: { args: [Id], exactlyOnce: true },
    attach: { args: [Id, z.string().regex(PICTURE_TYPE), z.instanceof(ReadableStream<Uint8Array>)] },
    picture: { args: [z.string()], readOnly: true },
  } satisfies Methods<BoardTarget, User>;
  readonly #cards: Cards;
  readonly #user: User;

  constructor(cards: Cards, user: User) {
    super();
    this.#cards = cards;
    this.#user = user;
  }

  /** The cards, and the number of the last change that they have in them. */
  load(): { cards: Card[]; position: Position; user: string } {
    return { ...this.#cards.load(), user: this.#user.name };
  }

  changes(options?: SubscribeOptions): Subscription<Change> {
    return this.#cards.changes(options);
  }

  add(id: string, title: string, column: ColumnName): void {
    if (this.#cards.find(id)) throw new RpcError('INVALID_ARGUMENTS', 'There is such a card');
    this.#cards.put({ id, title, column, author: this.#user.name });
  }

  rename(id: string, title: string): void {
    this.#cards.put({ ...this.#find(id), title });
  }

  move(id: string, column: ColumnName): void {
    this.#cards.put({ ...this.#find(id), column });
  }

  remove(id: string): void {
    const { author } = this.#find(id);
    if (author !== this.#user.name) throw new RpcError('DENIED', `Only ${author} can remove this card`);
    this.#cards.remove(id);
  }

  /** Takes a picture as it is uploaded, and shows it when all of it is there. */
  async attach(id: string, type: string, content: ReadableStream<Uint8Array>): Promise<void> {
    this.#find(id);
    const picture = new Uint8Array(await new Response(limited(content, MAX_PICTURE_BYTES)).arrayBuffer());
    const name = crypto.randomUUID();
    this.#cards.putPicture(name, type, picture);
    // Somebody may have changed the card meanwhile.
    this.#cards.put({ ...this.#find(id), picture: name });
  }

  picture(name: string): Blob | undefined {
    return this.#cards.picture(name);
  }

  #find(id: string): Card {
    const card = this.#cards.find(id);
    // An error of the application's own: its code arrives, too.
    if (!card) throw Object.assign(new Error('This card is gone'), { code: 'CARD_GONE' });
    return card;
  }
}

/** The API as the page sees it. */
export type BoardApi = ApiOf<typeof BoardTarget>;

/** Cancels an upload that is too large where it is, not where it ends. */
function limited(content: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new RpcError('TOO_LARGE', `A picture has at most ${maxBytes / 1e6} MB`);
      controller.enqueue(chunk);
    },
  });
  return content.pipeThrough(count);
}
