import type { Position, Stub } from '@lumenize/rpc';
import { type ApiOf, RpcObject, RpcTarget, type StandardSchema } from '@lumenize/rpc/server';
import { change, follow, type StateStore } from '@lumenize/state';
import { useFollow, useRecord, useRecords } from '@lumenize/state/react';
import { collection, type Follow, State } from '@lumenize/state/server';
import { expectTypeOf, test } from 'vitest';

interface Card {
  readonly id: string;
  readonly title: string;
  readonly column?: 'todo' | 'done';
}

interface Note {
  readonly id: string;
  readonly text: string;
}

declare const schema: StandardSchema<Note>;

class Board extends RpcObject<unknown, string> {
  readonly state = new State(
    this,
    { cards: collection<Card>(), notes: collection({ schema }) },
    { views: { guest: { cards: (card) => (card.column === 'done' ? card : undefined) } } },
  );

  override target(): BoardApi {
    return new BoardApi(this);
  }
}

class BoardApi extends RpcTarget {
  readonly #board: Board;

  constructor(board: Board) {
    super();
    this.#board = board;
  }

  follow(since?: Position) {
    return this.#board.state.follow(since);
  }

  move(id: string, column: Card['column']): void {
    this.#board.state.collections.cards.patch(id, { column });
  }
}

const board = {} as Stub<ApiOf<typeof BoardApi>>;

test('the types of records come from the collections, and arrive at the client', () => {
  expectTypeOf<ReturnType<BoardApi['follow']>>().toEqualTypeOf<Follow<{ cards: Card; notes: Note }>>();
  const store = follow(board, (api, since) => api.follow(since));
  expectTypeOf(store).toEqualTypeOf<StateStore<{ cards: Card; notes: Note }>>();
  expectTypeOf(store.all('cards')).toEqualTypeOf<readonly Card[]>();
  expectTypeOf(store.get('notes', 'n')).toEqualTypeOf<Note | undefined>();
  // @ts-expect-error there is no such collection
  store.all('lists');
  // @ts-expect-error it is no state
  follow(board, (api) => api.move('a', 'done'));
});

test('a change takes what its method takes, and its guess knows the records', () => {
  const store = follow(board, (api, since) => api.follow(since));
  const move = change(store, board.move, (state, id, column) => {
    expectTypeOf(id).toEqualTypeOf<string>();
    expectTypeOf(state.get('cards', id)).toEqualTypeOf<Card | undefined>();
    state.patch('cards', id, { column });
    // @ts-expect-error there is no such field
    state.patch('cards', id, { colour: 'red' });
    // @ts-expect-error an id stays what it is
    state.patch('cards', id, { id: 'b' });
    // @ts-expect-error it has no title
    state.put('cards', { id });
  });
  expectTypeOf(move('a', 'done')).resolves.toEqualTypeOf<void>();
  // @ts-expect-error there is no such column
  move('a', 'doing');
});

test('hooks give records', () => {
  const store = useFollow(board, (api, since) => api.follow(since));
  expectTypeOf(useRecords(store, 'cards')).toEqualTypeOf<readonly Card[]>();
  expectTypeOf(useRecord(store, 'notes', 'n')).toEqualTypeOf<Note | undefined>();
});

test('a collection takes its records', () => {
  const { cards } = ({} as Board).state.collections;
  cards.put({ id: 'a', title: 'a card' });
  expectTypeOf(cards.patch('a', { column: undefined })).toEqualTypeOf<Card>();
  expectTypeOf([...cards]).toEqualTypeOf<Card[]>();
  // @ts-expect-error records have ids
  collection<{ title: string }>();
  // @ts-expect-error it has no text
  cards.put({ id: 'a', text: 'a note' });
});
