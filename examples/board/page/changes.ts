import type { Stub } from '@lumenize/rpc';
import { change, type StateStore } from '@lumenize/state';
import { type Card, newCard, type User } from '../shared/cards.ts';
import type { BoardApi } from '../worker/board-target.ts';

/** What one can do to a board: each change is shown at once, and taken back if its call fails. */
export function changesOf(board: Stub<BoardApi>, store: StateStore<{ cards: Card }>, user: User) {
  return {
    add: change(store, board.add, (state, id, title, column = 'todo') =>
      state.put('cards', newCard(id, title, column, user.name, state.all('cards'))),
    ),
    move: change(store, board.move, (state, id, column) => state.patch('cards', id, { column })),
    remove: change(store, board.remove, (state, id) => state.delete('cards', id)),
  };
}

export type Changes = ReturnType<typeof changesOf>;
