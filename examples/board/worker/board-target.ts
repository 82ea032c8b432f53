// What the page calls. The page imports its type, so nothing here is of the Workers runtime.
import { type ApiOf, type Methods, type Position, RpcError, RpcTarget } from '@lumenize/rpc/server';
import type { Collection, Fields, Follow } from '@lumenize/state/server';
import { z } from 'zod';
import { type Card, COLUMNS, type ColumnName, newCard, type User } from '../shared/cards.ts';

/** What the object has for its target. */
export interface BoardParts {
  readonly cards: Collection<Card>;
  follow(since: Position | undefined): Follow<{ cards: Card }>;
  putPicture(name: string, type: string, content: Uint8Array): void;
  removePicture(name: string): void;
  picture(name: string): Blob | undefined;
}

const Id = z.uuid();
const Title = z.string().trim().min(1).max(200);
const PICTURE_TYPE = /^image\/(png|jpeg|webp|gif)$/;
const MAX_PICTURE_BYTES = 1_000_000;

/** A board for one of its users. */
export class BoardTarget extends RpcTarget {
  static readonly rpc = {
    follow: { idempotent: true },
    add: { args: [Id, Title, z.enum(COLUMNS).default('todo')], exactlyOnce: true },
    rename: { args: [Id, Title], exactlyOnce: true },
    move: { args: [Id, z.enum(COLUMNS)], exactlyOnce: true },
    remove: { args: [Id], exactlyOnce: true },
    attach: { args: [Id, z.string().regex(PICTURE_TYPE), z.instanceof(ReadableStream<Uint8Array>)] },
    picture: { args: [z.string()], readOnly: true },
  } satisfies Methods<BoardTarget, User>;
  readonly #board: BoardParts;
  readonly #user: User;

  constructor(board: BoardParts, user: User) {
    super();
    this.#board = board;
    this.#user = user;
  }

  follow(since?: Position): Follow<{ cards: Card }> {
    return this.#board.follow(since);
  }

  add(id: string, title: string, column: ColumnName): void {
    const { cards } = this.#board;
    if (cards.has(id)) throw new RpcError('INVALID_ARGUMENTS', 'There is such a card');
    cards.put(newCard(id, title, column, this.#user.name, cards));
  }

  rename(id: string, title: string): void {
    this.#change(id, { title });
  }

  move(id: string, column: ColumnName): void {
    this.#change(id, { column });
  }

  remove(id: string): void {
    const { author, picture } = this.#find(id);
    if (author !== this.#user.name) throw new RpcError('DENIED', `Only ${author} can remove this card`);
    this.#board.cards.delete(id);
    if (picture !== undefined) this.#board.removePicture(picture);
  }

  /** Takes a picture as it is uploaded, and shows it when all of it is there. */
  async attach(id: string, type: string, content: ReadableStream<Uint8Array>): Promise<void> {
    this.#find(id);
    const picture = new Uint8Array(await new Response(limited(content, MAX_PICTURE_BYTES)).arrayBuffer());
    // Somebody may have changed the card meanwhile.
    const before = this.#find(id).picture;
    const name = crypto.randomUUID();
    this.#board.putPicture(name, type, picture);
    this.#change(id, { picture: name });
    if (before !== undefined) this.#board.removePicture(before);
  }

  picture(name: string): Blob | undefined {
    return this.#board.picture(name);
  }

  #change(id: string, fields: Fields<Card>): void {
    this.#find(id);
    this.#board.cards.patch(id, fields);
  }

  #find(id: string): Card {
    const card = this.#board.cards.get(id);
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
