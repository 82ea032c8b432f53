import { describe, expect, test } from 'vitest';
import { type AnyRecord, Ids, type NotingDraft } from '../src/client/draft.ts';
import { type Layer, Layers } from '../src/client/layers.ts';
import type { Changes } from '../src/wire.ts';

const COLLECTIONS = ['cards', 'notes'];
const RECORDS = 700;
const GUESSES = 20;
const id = (at: number) => `card-${String(at).padStart(17, '0')}`;

/** Layers over some cards, and how often each guess was made. */
function filled(count: number) {
  const layers = new Layers();
  const cards = Array.from({ length: count }, (_, at) => ({
    id: id(at),
    title: 'x'.repeat(100),
    column: 'todo',
    count: 0,
  }));
  apply(layers, cards);
  return layers;
}

function apply(layers: Layers, changes: Changes): boolean {
  const touched = new Ids();
  layers.apply(COLLECTIONS, changes, touched);
  return layers.update(touched);
}

function guess(layers: Layers, make: (draft: NotingDraft) => void): { times: number; layer: Layer } {
  const made = { times: 0 } as { times: number; layer: Layer };
  made.layer = {
    guess: (draft) => {
      made.times++;
      make(draft);
    },
    draft: undefined,
  };
  layers.layers.push(made.layer);
  layers.update(new Ids());
  return made;
}

function takeBack(layers: Layers, layer: Layer): void {
  const touched = new Ids();
  touched.noteAll(layer.draft!.written);
  layers.layers = layers.layers.filter((each) => each !== layer);
  layers.update(touched);
}

const increment = (card: string) => (draft: NotingDraft) =>
  draft.patch('cards', card, { count: (draft.get('cards', card)!.count as number) + 1 });

describe('guesses', () => {
  test('are made again if a record that they read or wrote changes, or one that such a guess has changed', () => {
    const layers = filled(3);
    const first = guess(layers, increment(id(0)));
    const reading = guess(layers, (draft) => draft.patch('cards', id(1), { count: draft.get('cards', id(0))!.count }));
    const other = guess(layers, increment(id(2)));
    apply(layers, [id(0), { count: 5 }]);
    expect([first.times, reading.times, other.times]).toEqual([2, 2, 1]);
    expect(layers.all('cards').map(({ count }) => count)).toEqual([6, 6, 1]);
    takeBack(layers, first.layer);
    expect([first.times, reading.times, other.times]).toEqual([2, 3, 1]);
    expect(layers.all('cards').map(({ count }) => count)).toEqual([5, 5, 1]);
  });

  test('that read a whole collection are made again for each of its records, and for no others', () => {
    const layers = filled(2);
    const counting = guess(layers, (draft) => draft.put('notes', { id: 'n', cards: draft.all('cards').length }));
    apply(layers, [1, { id: 'other' }]);
    expect([counting.times, layers.get('notes', 'n')?.cards]).toEqual([1, 2]);
    apply(layers, [{ id: 'new' }]);
    expect([counting.times, layers.get('notes', 'n')?.cards]).toEqual([2, 3]);
  });

  test('that are made again show no longer what they do not do any more', () => {
    const layers = filled(3);
    guess(layers, (draft) =>
      draft.patch('cards', draft.get('cards', id(0))!.column === 'todo' ? id(1) : id(2), { count: 9 }),
    );
    expect(layers.all('cards').map(({ count }) => count)).toEqual([0, 9, 0]);
    apply(layers, [id(0), { column: 'done' }]);
    expect(layers.all('cards').map(({ count }) => count)).toEqual([0, 0, 9]);
  });

  test('find what earlier ones have put and deleted', () => {
    const layers = filled(2);
    guess(layers, (draft) => {
      draft.delete('cards', id(0));
      draft.put('cards', { id: 'new', count: 1 });
    });
    guess(layers, (draft) => {
      expect([draft.get('cards', id(0)), draft.get('cards', 'new')?.count]).toEqual([undefined, 1]);
      expect(
        draft
          .all('cards')
          .map(({ id }) => id)
          .sort(),
      ).toEqual([id(1), 'new']);
      draft.patch('cards', id(0), { count: 7 });
      draft.patch('cards', 'new', { count: 2, id: 'other' });
    });
    expect(layers.all('cards').map(({ id, count }) => [id, count])).toEqual([
      [id(1), 0],
      ['new', 2],
    ]);
  });

  test('that throw when they are made again are not shown any more', () => {
    const layers = filled(1);
    const fragile = guess(layers, (draft) => {
      if (draft.get('cards', id(0))!.title === 'other') throw new Error('it has another title');
      draft.patch('cards', id(0), { column: 'done' });
    });
    expect(layers.get('cards', id(0))?.column).toBe('done');
    apply(layers, [id(0), { title: 'other' }]);
    expect(layers.get('cards', id(0))).toMatchObject({ title: 'other', column: 'todo' });
    apply(layers, [id(0), { title: 'x' }]);
    expect([fragile.times, layers.get('cards', id(0))?.column]).toEqual([2, 'todo']);
  });

  test('that were right leave the record what it was', () => {
    const layers = filled(2);
    const { layer } = guess(layers, increment(id(0)));
    const guessed = layers.get('cards', id(0));
    const list = layers.all('cards');
    const touched = new Ids();
    layers.apply(COLLECTIONS, [id(0), { count: 1 }], touched);
    touched.noteAll(layer.draft!.written);
    layers.layers = [];
    expect(layers.update(touched)).toBe(false);
    expect(layers.get('cards', id(0))).toBe(guessed);
    expect(layers.all('cards')).toBe(list);
  });

  test(`of ${GUESSES} that wait, a change makes those again that it concerns, and copies the records that it changes`, () => {
    const layers = filled(RECORDS);
    const guesses = Array.from({ length: GUESSES }, (_, at) => guess(layers, increment(id(at))));
    const before = new Set<AnyRecord>(layers.all('cards'));
    apply(layers, [id(3), { title: 'other' }, id(500), { title: 'other' }]);
    expect(guesses.map(({ times }) => times)).toEqual(guesses.map((_, at) => (at === 3 ? 2 : 1)));
    const copied = layers.all('cards').filter((record) => !before.has(record));
    expect(copied.map(({ id }) => id)).toEqual([id(3), id(500)]);
  });
});

describe('a list', () => {
  test('is sorted by ids, whatever is added, replaced and left out', () => {
    const layers = new Layers();
    const ids = new Set<string>();
    expect(layers.all('cards')).toEqual([]);
    for (let step = 0; step < 500; step++) {
      const some = `${(step * 7919) % 97}`;
      if (ids.has(some) && step % 3 === 0) {
        ids.delete(some);
        apply(layers, [some, null]);
      } else {
        ids.add(some);
        apply(layers, [{ id: some, step }]);
      }
      if (step % 5 === 0) expect(layers.all('cards').map(({ id }) => id)).toEqual([...ids].sort());
    }
    apply(
      layers,
      Array.from({ length: 200 }, (_, at) => ({ id: `more-${at}` })),
    );
    expect(layers.all('cards').map(({ id }) => id)).toEqual(
      [...ids, ...Array.from({ length: 200 }, (_, at) => `more-${at}`)].sort(),
    );
  });

  test('takes fields of any name, and removes those that are undefined', () => {
    const layers = filled(1);
    apply(layers, [id(0), JSON.parse('{"__proto__":1}')]);
    apply(layers, [id(0), { column: undefined }]);
    expect(Object.entries(layers.get('cards', id(0))!)).toContainEqual(['__proto__', 1]);
    expect(Object.keys(layers.get('cards', id(0))!)).toEqual(['id', 'title', 'count', '__proto__']);
  });

  test('changes nothing of a record that is not there', () => {
    const layers = filled(0);
    expect(apply(layers, ['other', { title: 'other' }, 'another', null])).toBe(false);
    expect(layers.all('cards')).toEqual([]);
  });
});
