import { type Position, RpcError, RpcTarget, type Subscription } from '@lumenize/rpc';
import { testConnection } from '@lumenize/rpc/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { change, follow } from '../src/client/follow.ts';
import type { StateStore } from '../src/client/store.ts';
import type { StateChange } from '../src/records.ts';

interface Card {
  readonly id: string;
  readonly count?: number;
}

class Target extends RpcTarget {
  static readonly rpc = { add: { idempotent: true } };
  readonly waiting: PromiseWithResolvers<void>[] = [];

  add(_by: number): Promise<void> {
    const call = Promise.withResolvers<void>();
    this.waiting.push(call);
    return call.promise;
  }
}

/** A subscription whose items the test gives. */
class Fed {
  readonly since: Position | undefined;
  position: Position = ['', 0];
  isEnded = false;
  #waiting = Promise.withResolvers<void>();
  #items: object[] = [];
  #failure: unknown;

  constructor(since: Position | undefined) {
    this.since = since;
  }

  give(position: Position, event: unknown, calls?: number[]): Promise<void> {
    this.position = position;
    this.#items.push({ sequence: position[1], event, calls });
    this.#waiting.resolve();
    return settle();
  }

  page(position: Position, changes: unknown[], more: object = {}): Promise<void> {
    return this.give(position, { part: 0, collections: ['cards'], changes, ...more });
  }

  fail(error: unknown): Promise<void> {
    this.#failure = error;
    this.#waiting.resolve();
    return settle();
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      while (this.#items.length > 0) yield this.#items.shift()!;
      if (this.#failure !== undefined) throw this.#failure;
      if (this.isEnded) return;
      this.#waiting = Promise.withResolvers();
      await this.#waiting.promise;
    }
  }

  [Symbol.dispose](): void {
    this.isEnded = true;
    this.#waiting.resolve();
  }
}

async function settle(): Promise<void> {
  for (let job = 0; job < 50; job++) await undefined;
}

/** A store, and what it has subscribed to. */
async function opened() {
  const connection = testConnection(() => new Target());
  const opened: Fed[] = [];
  const store: StateStore<{ cards: Card }> = follow(connection.stub, (_stub, since) => {
    opened.push(new Fed(since));
    return Promise.resolve(opened.at(-1) as unknown as Subscription<StateChange<{ cards: Card }>>);
  });
  await settle();
  const add = change(store, connection.stub.add, (state, by) => {
    state.put('cards', { id: 'a', count: (state.get('cards', 'a')?.count ?? 0) + by });
  });
  const seen: unknown[] = [];
  store.subscribe(() => seen.push(store.get('cards', 'a')?.count));
  return { connection, opened, store, add, seen };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a store', () => {
  test('follows again, behind what it shows, when a change does not follow on that', async () => {
    const { connection, opened: fed, store } = await opened();
    using _ = connection;
    await fed[0].page(['run', 1024], [{ id: 'a', count: 1 }]);
    await fed[0].give(['run', 1025], ['a', { count: 2 }]);
    await fed[0].give(['run', 1027], ['a', { count: 4 }]);
    expect([store.get('cards', 'a')?.count, store.position]).toEqual([2, ['run', 1025]]);
    expect([fed.length, fed[0].isEnded, fed[1].since]).toEqual([2, true, ['run', 1025]]);
    await fed[1].page(['run', 1027], [{ id: 'a', count: 4 }], { since: ['run', 1025] });
    expect([store.get('cards', 'a')?.count, store.position]).toEqual([4, ['run', 1027]]);
  });

  test('leaves out what comes before all that was missed', async () => {
    const { connection, opened: fed, store } = await opened();
    using _ = connection;
    await fed[0].give(['run', 1030], ['a', { count: 2 }]);
    expect([fed.length, store.position]).toEqual([1, undefined]);
    await fed[0].page(['run', 1030], [{ id: 'a', count: 2 }]);
    expect([fed.length, store.get('cards', 'a')?.count]).toEqual([1, 2]);
  });

  test('follows again when what was missed is not what it has missed, or has parts missing', async () => {
    const { connection, opened: fed, store } = await opened();
    using _ = connection;
    await fed[0].page(['run', 1024], [{ id: 'a', count: 1 }]);
    await fed[0].page(['run', 1030], [], { since: ['run', 1025] });
    await fed[1].page(['run', 1030], [], { since: ['other', 1024] });
    await fed[2].page(['run', 1029], [], { more: true, since: ['run', 1024] });
    await fed[2].page(['run', 1030], [], { part: 2, since: ['run', 1024] });
    expect(fed.map(({ since }) => since)).toEqual([undefined, ...Array(3).fill(['run', 1024])]);
    await fed[3].page(['run', 1029], [{ id: 'b' }], { more: true, since: ['run', 1020] });
    expect(store.all('cards')).toEqual([{ id: 'a', count: 1 }]);
    await fed[3].page(['run', 1030], [{ id: 'c' }], { part: 1, since: ['run', 1020] });
    expect(store.all('cards').map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  test('begins with all parts anew when the first one comes again', async () => {
    const { connection, opened: fed, store } = await opened();
    using _ = connection;
    await fed[0].page(['!0', 1024], [{ id: 'old' }], { more: true });
    await fed[0].page(['!0', 1024], [{ id: 'a' }], { more: true });
    await fed[0].page(['run', 1025], [{ id: 'b' }], { part: 1 });
    expect([store.all('cards'), store.position]).toEqual([
      [{ id: 'a' }, { id: 'b' }],
      ['run', 1025],
    ]);
  });

  test('has deleted what a snapshot does not have', async () => {
    const { connection, opened: fed, store } = await opened();
    using _ = connection;
    await fed[0].page(['run', 1024], [{ id: 'a' }, { id: 'b' }]);
    await fed[0].page(['other', 1024], [{ id: 'b' }]);
    expect([store.all('cards'), store.position]).toEqual([[{ id: 'b' }], ['other', 1024]]);
  });

  test('takes its position from behind what it had while it was told the rest', async () => {
    const { connection, opened: fed, store } = await opened();
    using _ = connection;
    await fed[0].page(['run!1020', 1024], [{ id: 'a' }]);
    expect(store.position).toEqual(['run', 1024]);
  });

  test('waits for calls that may be in what it was told, and no longer than five seconds', async () => {
    const { connection, opened: fed, store, add, seen } = await opened();
    using _ = connection;
    void add(1);
    expect(seen).toEqual([1]);
    await fed[0].page(['run', 1024], [{ id: 'a', count: 1 }]);
    await fed[0].give(['run', 1025], [{ id: 'b' }]);
    expect([store.all('cards').length, store.status]).toEqual([1, 'loading']);
    vi.advanceTimersByTime(4999);
    expect(store.all('cards')).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect([store.all('cards').length, store.position, seen.at(-1)]).toEqual([2, ['run', 1025], 2]);
    // It has shown what it can, and goes on.
    await fed[0].give(['run', 1026], [{ id: 'c' }]);
    expect(store.all('cards')).toHaveLength(3);
  });

  test('waits no longer for a call that a change names', async () => {
    const { connection, opened: fed, store, add, seen } = await opened();
    using _ = connection;
    void add(1);
    await fed[0].page(['run', 1024], [{ id: 'a', count: 0 }]);
    await fed[0].give(['run', 1025], ['a', { count: 1 }], [1]);
    expect([store.get('cards', 'a')?.count, store.isPending(), seen]).toEqual([1, false, [1, 1]]);
  });

  test('shows what was answered until it has what the call has changed, whatever else is shown meanwhile', async () => {
    const { connection, opened: fed, store, add, seen } = await opened();
    using _ = connection;
    for (const by of [1, 5]) {
      const call = add(by);
      await settle();
      connection.target!.waiting.shift()!.resolve();
      await call;
    }
    expect([seen, store.isPending()]).toEqual([[1, 6], true]);
    await fed[0].page(['run', 1024], [{ id: 'a', count: 6 }]);
    expect([seen, store.isPending()]).toEqual([[1, 6, 6], false]);
  });

  test('shows what it was told and takes back what that has when all calls that may be in it are answered', async () => {
    const { connection, opened: fed, store, add, seen } = await opened();
    using _ = connection;
    const calls = [add(1), add(5)];
    await settle();
    await fed[0].page(['run', 1024], [{ id: 'a', count: 6 }]);
    for (const at of [0, 1]) {
      expect([seen.at(-1), store.status]).toEqual([6, 'loading']);
      // A method that waits lets the next one begin in another turn.
      vi.advanceTimersByTime(10);
      await settle();
      connection.target!.waiting[at].resolve();
      await calls[at];
      await settle();
    }
    expect([new Set(seen), store.status, store.isPending()]).toEqual([new Set([1, 6]), 'live', false]);
  });

  test('takes back at once what was refused, also when it does not have all', async () => {
    const { connection, store, add, seen } = await opened();
    using _ = connection;
    const calls = [add(1), add(5)];
    await settle();
    connection.target!.waiting[0].reject(new RangeError('no'));
    await expect(calls[0]).rejects.toThrow('no');
    expect([seen, store.unsaved.map(({ args }) => args), store.isPending()]).toEqual([[1, 6, 5], [[1]], true]);
  });

  test('shows nothing of what it was told while nobody knows whether a call is in it, and there is no connection', async () => {
    const { connection, opened: fed, store, add, seen } = await opened();
    using _ = connection;
    await fed[0].page(['run', 1024], [{ id: 'a', count: 0 }]);
    const call = Promise.resolve(add(1)).catch(({ code }) => code);
    await settle();
    for (const version of [1025, 1026]) {
      connection.cut();
      await settle();
      vi.advanceTimersByTime(100);
      await settle();
      await fed[0].page(['run', version], [{ id: 'a', count: 1 }], { since: ['run', version - 1] });
    }
    // It was sent three times.
    connection.cut();
    expect(await call).toBe('OUTCOME_UNKNOWN');
    expect([store.status, store.unsaved, new Set(seen)]).toEqual(['behind', [], new Set([0, 1])]);
    seen.length = 0;
    // The next connection has not told either.
    vi.advanceTimersByTime(6000);
    await settle();
    expect(new Set(seen)).toEqual(new Set());
    await fed[0].page(['run', 1027], [], { since: ['run', 1026] });
    expect([store.status, store.unsaved.length, new Set(seen)]).toEqual(['live', 1, new Set([1])]);
  });

  test('tells that it is behind as soon as the connection is lost, and resolves who waits for a version', async () => {
    const { connection, opened: fed, store, seen } = await opened();
    using _ = connection;
    const { stub } = connection;
    void stub.add(1);
    await settle();
    await fed[0].page(['run', 1024], []);
    expect(store.status).toBe('live');
    let reached = 0;
    void store.reached(1025).then(() => reached++);
    void store.reached(1024).then(() => reached++);
    await settle();
    expect(reached).toBe(1);
    connection.cut();
    await settle();
    expect([store.status, seen.length]).toEqual(['behind', 2]);
    await fed[0].give(['run', 1025], [{ id: 'b' }]);
    expect([reached, store.all('cards').length]).toEqual([2, 1]);
  });

  test.each(['OVERLOADED', 'REFERENCE_LOST'] as const)('follows again after %s', async (code) => {
    const { connection, opened: fed, store } = await opened();
    using _ = connection;
    await fed[0].page(['run', 1024], []);
    await fed[0].fail(new RpcError(code, 'a reason', { data: { retryAfterMs: 3000 } }));
    expect([store.status, store.error?.code]).toEqual(['behind', code]);
    vi.advanceTimersByTime(2999);
    await settle();
    expect(fed).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await settle();
    expect([fed.length, fed[1].since, store.error]).toEqual([2, ['run', 1024], undefined]);
    // A reference that is lost at once is not looked for again and again.
    await fed[1].fail(new RpcError('REFERENCE_LOST', 'again'));
    expect([store.status, store.error?.code]).toEqual(['closed', 'REFERENCE_LOST']);
  });

  test('is closed by an error that does not pass, by the end of its connection, and by close()', async () => {
    const denied = await opened();
    using _ = denied.connection;
    await denied.opened[0].fail(new RpcError('DENIED', 'no'));
    expect([denied.store.status, denied.store.error?.code]).toEqual(['closed', 'DENIED']);
    denied.store.open();
    await settle();
    expect([denied.store.status, denied.opened.length]).toEqual(['loading', 2]);
    await denied.opened[1].page(['run', 1024], [{ id: 'a' }]);
    denied.store.close();
    expect([denied.store.status, denied.store.error, denied.opened[1].isEnded]).toEqual(['closed', undefined, true]);
    await denied.opened[1].page(['run', 1025], [{ id: 'b' }]);
    expect(denied.store.all('cards')).toEqual([{ id: 'a' }]);
    denied.store.open();
    await settle();
    expect(denied.opened[2].since).toEqual(['run', 1024]);
    denied.connection[Symbol.dispose]();
    await denied.opened[2].fail(new RpcError('NOT_EXECUTED', 'the connection was closed'));
    expect([denied.store.status, denied.store.error?.code]).toEqual(['closed', 'NOT_EXECUTED']);
  });

  test('tells all listeners, also when one of them throws, until they are removed', async () => {
    const { connection, opened: fed, store, seen } = await opened();
    using _ = connection;
    const thrown: unknown[] = [];
    vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((job) => {
      try {
        job();
      } catch (error) {
        thrown.push(error);
      }
    });
    const stop = store.subscribe(() => {
      throw new Error('a defect');
    });
    let told = 0;
    store.subscribe(() => told++);
    await fed[0].page(['run', 1024], [{ id: 'a', count: 1 }]);
    expect([seen, told, thrown]).toEqual([[1], 1, [new Error('a defect')]]);
    stop();
    await fed[0].give(['run', 1025], 0);
    expect([told, thrown.length]).toEqual([2, 1]);
  });

  test('is what change() needs, with a method of a stub', async () => {
    const { connection, store } = await opened();
    using _ = connection;
    expect(() => change({} as typeof store, connection.stub.add, () => {})).toThrow(TypeError);
    expect(() =>
      change(
        store,
        async () => {},
        () => {},
      ),
    ).toThrow(TypeError);
    expect(() => follow({}, () => Promise.reject(new Error()))).toThrow(TypeError);
  });
});
