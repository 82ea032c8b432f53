import { type Caller, type Position, RpcObject } from '@lumenize/rpc/server';
import { collection, type Follow, State } from '@lumenize/state/server';
import type { Card, User } from '../shared/cards.ts';
import { type BoardParts, BoardTarget } from './board-target.ts';

/** A board, which all its users edit at once. */
export class Board extends RpcObject<unknown, User> implements BoardParts {
  readonly #state = new State(this, { cards: collection<Card>() });
  readonly cards = this.#state.collections.cards;
  readonly #sql = this.ctx.storage.sql;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    this.#sql.exec(
      'CREATE TABLE IF NOT EXISTS pictures (name TEXT PRIMARY KEY, type TEXT NOT NULL, content BLOB NOT NULL)',
    );
  }

  override target({ identity }: Caller<User>): BoardTarget {
    return new BoardTarget(this, identity);
  }

  follow(since: Position | undefined): Follow<{ cards: Card }> {
    return this.#state.follow(since);
  }

  putPicture(name: string, type: string, content: Uint8Array): void {
    this.#sql.exec('INSERT INTO pictures VALUES (?, ?, ?)', name, type, content);
  }

  removePicture(name: string): void {
    this.#sql.exec('DELETE FROM pictures WHERE name = ?', name);
  }

  picture(name: string): Blob | undefined {
    const [row] = this.#sql.exec<{ type: string; content: ArrayBuffer }>('SELECT * FROM pictures WHERE name = ?', name);
    return row && new Blob([row.content], { type: row.type });
  }
}
