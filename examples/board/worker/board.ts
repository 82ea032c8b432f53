import { type Caller, type Position, RpcObject, type SubscribeOptions, type Subscription } from '@lumenize/rpc/server';
import type { Card, Change, ColumnName, User } from '../shared/cards.ts';
import { BoardTarget, type Cards } from './board-target.ts';

type CardRow = { id: string; title: string; column: ColumnName; author: string; picture: string | null };

/** A board, which all its users edit at once. */
export class Board extends RpcObject<unknown, User> implements Cards {
  readonly #changes = this.topic<Change>('changes', { retain: 1000 });
  readonly #sql = this.ctx.storage.sql;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    this.#sql.exec(`
      CREATE TABLE IF NOT EXISTS cards (
        place INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, title TEXT NOT NULL, "column" TEXT NOT NULL, author TEXT NOT NULL, picture TEXT);
      CREATE TABLE IF NOT EXISTS pictures (name TEXT PRIMARY KEY, type TEXT NOT NULL, content BLOB NOT NULL);
    `);
  }

  override target({ identity }: Caller<User>): BoardTarget {
    return new BoardTarget(this, identity);
  }

  load(): { cards: Card[]; position: Position } {
    const rows = this.#sql.exec<CardRow>('SELECT * FROM cards ORDER BY place');
    return { cards: Array.from(rows, cardOf), position: this.#changes.position };
  }

  find(id: string): Card | undefined {
    const [row] = this.#sql.exec<CardRow>('SELECT * FROM cards WHERE id = ?', id);
    return row && cardOf(row);
  }

  put(card: Card): void {
    const { id, title, column, author, picture = null } = card;
    this.#forgetPicture(id, picture);
    this.#sql.exec(
      `INSERT INTO cards (id, title, "column", author, picture) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET title = excluded.title, "column" = excluded."column", picture = excluded.picture`,
      ...[id, title, column, author, picture],
    );
    this.#changes.publish({ card });
  }

  remove(id: string): void {
    this.#forgetPicture(id, null);
    this.#sql.exec('DELETE FROM cards WHERE id = ?', id);
    this.#changes.publish({ removed: id });
  }

  changes(options?: SubscribeOptions): Subscription<Change> {
    return this.#changes.subscribe(options);
  }

  putPicture(name: string, type: string, content: Uint8Array): void {
    this.#sql.exec('INSERT INTO pictures VALUES (?, ?, ?)', name, type, content);
  }

  picture(name: string): Blob | undefined {
    const [row] = this.#sql.exec<{ type: string; content: ArrayBuffer }>('SELECT * FROM pictures WHERE name = ?', name);
    return row && new Blob([row.content], { type: row.type });
  }

  /** Removes a card's picture, unless it keeps that. */
  #forgetPicture(id: string, next: string | null): void {
    const before = this.find(id)?.picture;
    if (before !== undefined && before !== next) this.#sql.exec('DELETE FROM pictures WHERE name = ?', before);
  }
}

function cardOf({ id, title, column, author, picture }: CardRow): Card {
  return { id, title, column, author, ...(picture !== null && { picture }) };
}
