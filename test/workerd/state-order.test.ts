import { runInDurableObject } from 'cloudflare:test';
import { change, follow, type StateStore } from '@lumenize/state';
import { describe, expect, test } from 'vitest';
import type { Card, Records, Step } from './state-object.ts';
import { type Client, client, evict, expectInStep, inside, live, stateObject, until } from './state-support.ts';

/** A change, what the store is expected to show of it, and how often it is shown. */
interface Kind {
  readonly step: Step;
  readonly guess: (card: Card) => Partial<Card>;
  readonly times: (card: Card | undefined) => number;
}

const KINDS: Record<string, Kind> = {
  set: {
    step: { patch: 'a', fields: { column: 'done' } },
    guess: () => ({ column: 'done' }),
    times: (card) => (card?.column === 'done' ? 1 : 0),
  },
  push: {
    step: { push: 'a', tag: 'x' },
    guess: ({ tags = [] }) => ({ tags: [...tags, 'x'] }),
    times: (card) => card?.tags?.length ?? 0,
  },
  '+1': {
    step: { add: 'a', by: 1 },
    guess: ({ count = 0 }) => ({ count: count + 1 }),
    times: (card) => card?.count ?? 0,
  },
};
const KIND_NAMES = Object.keys(KINDS);

type Method = 'take' | 'takeOnce' | 'takeAgain' | 'fail';

/** Makes a change through a store. */
function changing({ stub, store }: Client, { guess }: Kind, method: Method) {
  return change(store, stub[method] as (step: Step) => PromiseLike<void>, (state) => {
    const card = state.get('cards', 'a');
    if (card !== undefined) state.patch('cards', 'a', guess(card));
  });
}

/** Notes how often a change is shown, with each change of the store that has the card. */
function watch(store: StateStore<Records>, { times }: Kind): number[] {
  const seen: number[] = [];
  store.subscribe(() => {
    const card = store.get('cards', 'a');
    if (card !== undefined && seen.at(-1) !== times(card)) seen.push(times(card));
  });
  return seen;
}

/** An object with a card, and a client that follows it. */
async function opened(name: string, options = {}): Promise<Client> {
  await inside(name, { put: { id: 'a', title: 'a card' } });
  const ada = client(name, 'ada', options);
  await live(ada.store);
  return ada;
}

describe.each(KIND_NAMES)('a change that is expected, to %s', (name) => {
  const kind = KINDS[name];

  test('is shown from the call on, once, when its patch comes before its answer', async () => {
    using ada = await opened(`${name} patch first`);
    const seen = watch(ada.store, kind);
    const held = ada.network.hold('down');
    const call = changing(ada, kind, 'take')(kind.step);
    expect([kind.times(ada.store.get('cards', 'a')), ada.store.isPending('cards', 'a')]).toEqual([1, true]);
    await held.caught(2);
    held.release(1);
    await until(ada.store, ({ isPending }) => !isPending.call(ada.store));
    held.release();
    await call;
    await expectInStep(`${name} patch first`, ada.store);
    expect(seen).toEqual([1]);
  });

  test('is made again on top of what others change, and neither lost nor shown twice', async () => {
    const object = `${name} among others`;
    using ada = await opened(object);
    const seen = watch(ada.store, kind);
    const held = ada.network.hold('up');
    const calls = [changing(ada, kind, 'take')(kind.step)];
    for (let title = 0; title < 3; title++) {
      const version = await inside(object, { patch: 'a', fields: { title: `${title}` } });
      await ada.store.reached(version);
      expect(ada.store.get('cards', 'a')?.title).toBe(`${title}`);
    }
    held.release();
    await Promise.all(calls);
    await expectInStep(object, ada.store);
    expect(seen).toEqual([1]);
  });

  test('is shown once when it is made in the turn that follows, before there is anything', async () => {
    const object = `${name} first`;
    await inside(object, { put: { id: 'a', title: 'a card' } });
    using ada = client(object);
    const seen = watch(ada.store, kind);
    await changing(ada, kind, 'take')(kind.step);
    await expectInStep(object, ada.store);
    expect(seen).toEqual([1]);
  });

  test('is shown once when its answer comes before the state that has it', async () => {
    const object = `${name} answer first`;
    await inside(object, { put: { id: 'a', title: 'a card' } });
    using ada = client(object);
    const store = follow(ada.stub, (api, since) => api.followLater(since));
    await live(store);
    const seen = watch(store, kind);
    const late = { ...ada, store };
    const { length } = ada.network.frames;
    ada.network.cut();
    await changing(late, kind, 'take')(kind.step);
    expect(seen).toEqual([1]);
    await until(store, ({ status }) => status === 'live');
    await expectInStep(object, store);
    expect(ada.network.frames.length).toBeGreaterThan(length);
    expect([seen, store.isPending()]).toEqual([[1], false]);
    store.close();
  });

  test.each(['patch', 'answer'])('is shown once when its %s is lost', async (lost) => {
    const object = `${name} lost ${lost}`;
    using ada = await opened(object);
    const seen = watch(ada.store, kind);
    const held = ada.network.hold('down');
    const call = changing(ada, kind, 'take')(kind.step);
    await held.caught(2);
    if (lost === 'answer') held.release(1);
    ada.network.cut();
    held.release();
    await call;
    await expectInStep(object, ada.store);
    expect([seen, ada.store.isPending(), ada.store.unsaved]).toEqual([[1], false, []]);
  });

  test.each(['up', 'down'] as const)(
    'is shown once when the frame that goes %s is lost again and again',
    async (direction) => {
      const object = `${name} twice lost ${direction}`;
      using ada = await opened(object);
      const seen = watch(ada.store, kind);
      ada.network.cutDuring(direction);
      const call = changing(ada, kind, 'take')(kind.step);
      await until(ada.store, ({ status }) => status === 'behind');
      ada.network.cutDuring(direction);
      await call;
      await expectInStep(object, ada.store);
      expect([seen, ada.store.isPending(), ada.store.unsaved]).toEqual([[1], false, []]);
    },
  );

  test('is shown once when a snapshot has it', async () => {
    const object = `${name} snapshot`;
    using ada = await opened(object);
    const seen = watch(ada.store, kind);
    const held = ada.network.hold('down');
    const call = changing(ada, kind, 'take')(kind.step);
    await held.caught(2);
    const upHeld = ada.network.hold('up');
    ada.network.cut();
    held.release();
    // No position is known any more.
    await runInDurableObject(stateObject(object), ({ storage }) => storage.sql.exec('DELETE FROM lumenize_state_runs'));
    upHeld.release();
    await call;
    await expectInStep(object, ada.store);
    expect([seen, ada.store.isPending()]).toEqual([[1], false]);
  });

  test('is shown once when the object hibernates, and when it starts anew', async () => {
    const object = `${name} object`;
    using ada = await opened(object);
    const seen = watch(ada.store, kind);
    await evict(object);
    await changing(ada, kind, 'take')(kind.step);
    await evict(object, 'close');
    await expectInStep(object, ada.store);
    expect(seen).toEqual([1]);
  });

  test('is taken back at once when its call fails, and listed until that is taken', async () => {
    const object = `${name} refused`;
    using ada = await opened(object);
    const seen = watch(ada.store, kind);
    await expect(changing(ada, kind, 'fail')(kind.step)).rejects.toMatchObject({ code: 'DENIED' });
    expect(seen).toEqual([1, 0]);
    expect(ada.store.unsaved).toEqual([
      {
        name: 'fail',
        args: [kind.step],
        error: expect.objectContaining({ code: 'DENIED' }),
        take: expect.any(Function),
      },
    ]);
    ada.store.unsaved[0].take();
    expect(ada.store.unsaved).toEqual([]);
    await expectInStep(object, ada.store);
  });

  test.each(['up', 'down'] as const)(
    'of which nobody knows is shown until the state tells (lost %s)',
    async (direction) => {
      const object = `${name} unknown ${direction}`;
      using ada = await opened(object);
      const seen = watch(ada.store, kind);
      const held = ada.network.hold(direction);
      const call = changing(ada, kind, 'takeOnce')(kind.step);
      await held.caught(direction === 'up' ? 1 : 2);
      const upHeld = ada.network.hold('up');
      ada.network.cut();
      held.release();
      await until(ada.store, ({ status }) => status === 'behind');
      expect([kind.times(ada.store.get('cards', 'a')), ada.store.isPending(), ada.store.unsaved]).toEqual([
        1,
        true,
        [],
      ]);
      upHeld.release();
      await expect(call).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
      await expectInStep(object, ada.store);
      expect(seen).toEqual(direction === 'up' ? [1, 0] : [1]);
      expect(ada.store.unsaved.map(({ error }) => (error as { code: string }).code)).toEqual(['OUTCOME_UNKNOWN']);
    },
  );
});

describe('a change that is expected', () => {
  test('and is so already goes with its answer', async () => {
    using ada = await opened('no-op');
    await inside('no-op', { patch: 'a', fields: { column: 'done' } });
    await until(ada.store, (store) => store.get('cards', 'a')?.column === 'done');
    const before = ada.store.get('cards', 'a');
    const call = changing(ada, KINDS.set, 'take')(KINDS.set.step);
    expect([ada.store.isPending(), ada.store.get('cards', 'a')]).toEqual([true, before]);
    await call;
    expect([ada.store.isPending(), ada.store.get('cards', 'a')]).toEqual([false, before]);
  });

  test('and is hidden goes with the version that says so', async () => {
    await inside('hidden', { put: { id: 'a', title: 'a card' } });
    using guest = client('hidden', 'guest');
    await live(guest.store);
    const hide = change(guest.store, guest.stub.take as (step: Step) => PromiseLike<void>, (state) =>
      state.patch('cards', 'a', { secret: 'x' }),
    );
    const held = guest.network.hold('down');
    const call = hide({ patch: 'a', fields: { secret: 'x' } });
    expect(guest.store.get('cards', 'a')).toEqual({ id: 'a', title: 'a card', secret: 'x' });
    await held.caught(2);
    held.release(1);
    await until(guest.store, (store) => store.get('cards', 'a')?.secret === undefined);
    held.release();
    await call;
    expect(guest.store.isPending()).toBe(false);
  });

  test('that throws shows nothing, and its call is made', async () => {
    using ada = await opened('throws');
    const seen = watch(ada.store, KINDS.set);
    const move = change(ada.store, ada.stub.take as (step: Step) => PromiseLike<void>, (state) => {
      state.patch('cards', 'a', { title: 'half' });
      throw new Error('a defect');
    });
    const call = move(KINDS.set.step);
    expect([ada.store.get('cards', 'a')?.title, ada.store.isPending()]).toEqual(['a card', false]);
    await call;
    // Before its patch, the store shows what the object has.
    expect([seen, ada.store.get('cards', 'a')?.title]).toEqual([[0, 1], 'a card']);
  });

  test('by a method that waits is shown from its first change on, and once', async () => {
    using ada = await opened('slow');
    const seen = watch(ada.store, KINDS['+1']);
    const add = change(ada.store, ada.stub.takeSlowly, (state) => {
      state.patch('cards', 'a', { count: (state.get('cards', 'a')?.count ?? 0) + 1 });
    });
    await add([KINDS['+1'].step], [KINDS.set.step]);
    expect([seen, ada.store.get('cards', 'a')?.column]).toEqual([[1], 'done']);
    await expect(add([KINDS['+1'].step], [], true)).rejects.toThrow('too slow');
    await expectInStep('slow', ada.store);
    expect([seen, ada.store.unsaved.length]).toEqual([[1, 2], 1]);
  });

  test('is confirmed with others of the same frame, each once', async () => {
    using ada = await opened('frame');
    const seen = watch(ada.store, KINDS['+1']);
    const add = changing(ada, KINDS['+1'], 'take');
    await Promise.all(Array.from({ length: 20 }, () => add(KINDS['+1'].step)));
    expect(seen).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    await expectInStep('frame', ada.store);
  });

  test('does not change what others see', async () => {
    using ada = await opened('others');
    using bob = client('others');
    await live(bob.store);
    const seen = watch(bob.store, KINDS['+1']);
    await changing(ada, KINDS['+1'], 'take')(KINDS['+1'].step);
    await expectInStep('others', ada.store, bob.store);
    expect(seen).toEqual([1]);
  });
});

describe('several stores of one connection', () => {
  test('are in step with the object, whenever they begin, and over losses', async () => {
    using ada = await opened('several');
    const stores = [ada.store];
    for (let round = 0; round < 4; round++) {
      const calls = stores.map((store) => changing({ ...ada, store }, KINDS['+1'], 'take')(KINDS['+1'].step));
      stores.push(follow(ada.stub, (api, since) => api.follow(since)));
      await Promise.all(calls);
      await expectInStep('several', ...stores);
      if (round % 2 === 0) await evict('several', 'close');
      else ada.network.cut();
      await inside('several', { put: { id: `other-${round}`, title: '' } });
    }
    await expectInStep('several', ...stores);
    expect(stores.map((store) => store.get('cards', 'a')?.count)).toEqual([10, 10, 10, 10, 10]);
    stores[0].close();
    await inside('several', { delete: 'a' });
    await expectInStep('several', ...stores.slice(1));
    expect([stores[0].status, stores[0].get('cards', 'a')?.count]).toEqual(['closed', 10]);
    stores[0].open();
    await expectInStep('several', ...stores);
  });
});
