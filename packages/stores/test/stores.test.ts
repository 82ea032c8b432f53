import { RpcError, type RpcErrorCode, type Subscription, type TopicItem, withOptions } from '@lumenize/rpc';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { callStore, sharedCall } from '../src/calls.ts';
import { type Key, placeOf } from '../src/store.ts';
import { createReader, type Subscribe } from '../src/subscriptions.ts';

// What hooks keep outside of React, by the clock.

class Counter extends RpcTarget {
  value(): number {
    return 1;
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a call that components share', () => {
  const stub = {};
  const get = (key: string, made: () => unknown = () => 1) => sharedCall(stub, key, made, {});

  test('is the same for stubs of one target, whatever their options, and another for another member', () => {
    using counter = connectInMemory(new Counter());
    const same = (stub: object) => sharedCall(...placeOf(stub, 'shared'), () => 1, {});
    const call = same(counter);
    expect(same(withOptions(counter, { timeoutMs: 10 }))).toBe(call);
    expect(same(withOptions(counter, { timeoutMs: 20 }))).toBe(call);
    expect(same(counter.value)).not.toBe(call);
    expect(same(withOptions(counter, { timeoutMs: 20 }).value)).toBe(same(counter.value));
    using other = connectInMemory(new Counter());
    expect(same(other)).not.toBe(call);
  });

  test('is another one for null in a key than for undefined, NaN or an infinity', () => {
    using counter = connectInMemory(new Counter());
    const keys: Key[] = [['by', null], ['by', undefined], ['by', Number.NaN], ['by', 1 / 0], ['by', 1], ['by'], 'by'];
    expect(new Set(keys.map((key) => placeOf(counter, key)[1])).size).toBe(keys.length);
  });

  test('is kept while a component that is not mounted waits for others, one slow one after the other', async () => {
    const call = get('suspended');
    expect(await call.view.promise).toBe(1);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(get('suspended')).toBe(call);
    await vi.advanceTimersByTimeAsync(31_000);
    expect(get('suspended')).not.toBe(call);
  });

  test('is forgotten a second after the last component, and not before its answer', async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const call = get('mounted', () => promise);
    call.retain(() => {})();
    await vi.advanceTimersByTimeAsync(5000);
    expect(get('mounted')).toBe(call);
    resolve(1);
    // It was looked at after 1 and 3 seconds, and is after 7.
    await vi.advanceTimersByTimeAsync(2000);
    expect(get('mounted')).not.toBe(call);
  });

  test('whose answer never comes is looked at less and less often', async () => {
    const call = get('endless', () => new Promise(() => {}));
    call.retain(() => {})();
    const set = vi.spyOn(globalThis, 'setTimeout');
    await vi.advanceTimersByTimeAsync(600_000);
    expect(get('endless')).toBe(call);
    expect(set.mock.calls.map(([, ms]) => ms).slice(0, 8)).toEqual([
      2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000,
    ]);
    set.mockRestore();
  });

  test('is made once for all components, and again by each reload, of which the last counts', async () => {
    const answers: PromiseWithResolvers<number>[] = [];
    const call = get('reloaded', () => {
      const answer = Promise.withResolvers<number>();
      answers.push(answer);
      return answer.promise;
    });
    const changed = vi.fn();
    const releases = [call.retain(changed), call.retain(() => {})];
    const { promise } = call.view;
    expect(answers.length).toBe(1);
    answers[0].resolve(1);
    expect(await promise).toBe(1);
    const [second, third] = [call.view.reload(), call.view.reload()];
    expect(call.view).toMatchObject({ value: 1, isPending: true });
    answers[2].resolve(3);
    expect(await third).toBe(3);
    answers[1].resolve(2);
    expect(await second).toBe(2);
    expect(call.view).toMatchObject({ value: 3, error: undefined, isPending: false });
    // For the first answer, the reloads, and the last answer.
    expect(changed).toHaveBeenCalledTimes(3);
    for (const release of releases) release();
  });

  test('keeps its value where a reload fails', async () => {
    const outcomes = [Promise.resolve(1), Promise.reject(new RangeError('no'))];
    const call = get('failing', () => outcomes.shift());
    const release = call.retain(() => {});
    expect(await call.view.promise).toBe(1);
    await expect(call.view.reload()).rejects.toThrow('no');
    expect(call.view).toMatchObject({ value: 1, error: new RangeError('no'), isPending: false });
    expect(await call.view.promise).toBe(1);
    release();
  });
});

describe('a call that components share', () => {
  test('shows the initial value of any of them until there is a result', async () => {
    const stub = {};
    const { promise, resolve } = Promise.withResolvers<string[]>();
    const call = sharedCall<string[]>(stub, 'list', () => promise, {});
    const release = call.retain(() => {});
    expect(call.view.value).toBe(undefined);
    expect(sharedCall(stub, 'list', () => promise, { initial: ['rendered'] })).toBe(call);
    expect(call.view).toMatchObject({ value: ['rendered'], isPending: true });
    expect(await call.view.promise).toEqual(['rendered']);
    resolve(['loaded']);
    await vi.advanceTimersByTimeAsync(0);
    expect(sharedCall(stub, 'list', () => promise, { initial: ['later'] }).view.value).toEqual(['loaded']);
    release();
  });
});

describe('a call that components share', () => {
  class Book extends RpcTarget {
    static readonly rpc = { page: { idempotent: true } };
    outcomes: (RpcErrorCode | undefined)[] = [];

    page(number: number): string {
      const code = this.outcomes.shift();
      if (code !== undefined) throw new RpcError(code, 'not now');
      return `page ${number}`;
    }
  }

  beforeEach(() => vi.stubGlobal('window', globalThis));
  afterEach(() => vi.unstubAllGlobals());

  test.each([undefined, 'OVERLOADED'] as const)(
    'is made again for those that show it, and not as one would that has another key by now (after %s)',
    async (code) => {
      const target = new Book();
      target.outcomes = [code];
      using book = connectInMemory(target);
      // As in Vue, Svelte and Solid, where a call reads what the component shows at that time.
      let number = 1;
      const staying = callStore(book, ['page', 1], (book) => book.page(1));
      const leaving = callStore(book, ['page', 1], (book) => book.page(number));
      leaving.get();
      const release = staying.subscribe(() => {});
      const leave = leaving.subscribe(() => {});
      await vi.advanceTimersByTimeAsync(10);
      number = 2;
      leave();
      if (code === undefined) void staying.get().reload();
      await vi.advanceTimersByTimeAsync(3000);
      expect(staying.get()).toMatchObject({ value: 'page 1', error: undefined, isPending: false });
      release();
    },
  );
});

describe('a call that failed', () => {
  const failing = (...codes: RpcErrorCode[]) =>
    vi.fn(async () => {
      const code = codes.shift();
      const data = code === 'RATE_LIMITED' ? { retryAfterMs: 5000 } : undefined;
      if (code !== undefined) throw new RpcError(code, 'not now', { data });
      return 'there';
    });

  test('is made again by itself where that may help, until it succeeds', async () => {
    const make = failing('NOT_EXECUTED', 'OVERLOADED');
    const call = sharedCall({}, 'retried', make, {});
    const release = call.retain(() => {});
    await vi.advanceTimersByTimeAsync(0);
    expect(call.view).toMatchObject({ value: undefined, error: { code: 'NOT_EXECUTED' }, isPending: false });
    await vi.advanceTimersByTimeAsync(2000);
    expect(call.view).toMatchObject({ error: { code: 'OVERLOADED' } });
    await vi.advanceTimersByTimeAsync(2000);
    expect(call.view).toMatchObject({ value: 'there', error: undefined });
    expect(await call.view.promise).toBe('there');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(make).toHaveBeenCalledTimes(3);
    release();
  });

  test('is pending while it is made again by itself, and keeps its error', async () => {
    const answers: PromiseWithResolvers<string>[] = [];
    const make = () => {
      answers.push(Promise.withResolvers());
      return answers.at(-1)!.promise;
    };
    const call = sharedCall({}, 'again', make, {});
    const release = call.retain(() => {});
    answers[0].reject(new RpcError('NOT_EXECUTED', 'not now'));
    await vi.advanceTimersByTimeAsync(2000);
    expect(answers.length).toBe(2);
    expect(call.view).toMatchObject({ error: { code: 'NOT_EXECUTED' }, isPending: true });
    release();
    await vi.advanceTimersByTimeAsync(5000);
    answers[1].resolve('there');
    await vi.advanceTimersByTimeAsync(0);
    expect(call.view).toMatchObject({ value: 'there', error: undefined, isPending: false });
  });

  test('is not made again sooner than the server has said', async () => {
    const make = failing('RATE_LIMITED');
    const call = sharedCall({}, 'limited', make, {});
    const release = call.retain(() => {});
    await vi.advanceTimersByTimeAsync(4999);
    expect(make).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(2001);
    expect(call.view.value).toBe('there');
    release();
  });

  test.each(['DENIED', 'OUTCOME_UNKNOWN'] as const)('with %s is not made again by itself', async (code) => {
    const make = failing(code);
    const release = sharedCall({}, 'final', make, {}).retain(() => {});
    await vi.advanceTimersByTimeAsync(60_000);
    expect(make).toHaveBeenCalledTimes(1);
    release();
  });

  test('is not made again while no component shows it, but for the next one that does', async () => {
    const make = failing('NOT_EXECUTED');
    const stub = {};
    sharedCall(stub, 'hidden', make, {}).retain(() => {})();
    await vi.advanceTimersByTimeAsync(999);
    const call = sharedCall(stub, 'hidden', make, {});
    expect(call.view.error).toMatchObject({ code: 'NOT_EXECUTED' });
    expect(make).toHaveBeenCalledTimes(1);
    const release = call.retain(() => {});
    await vi.advanceTimersByTimeAsync(2000);
    expect(call.view.value).toBe('there');
    release();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(make).toHaveBeenCalledTimes(2);
  });

  test('is made again at once by a reload, and then no more', async () => {
    const make = failing('NOT_EXECUTED');
    const call = sharedCall({}, 'reloaded', make, {});
    const release = call.retain(() => {});
    await vi.advanceTimersByTimeAsync(0);
    expect(await call.view.reload()).toBe('there');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(make).toHaveBeenCalledTimes(2);
    release();
  });
});

describe('reading a subscription', () => {
  /** A subscription to events that are there already, which goes on until it is disposed of. */
  function subscription(first: number, ...events: string[]): Subscription<string> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let sequence = first - 1;
    async function* read(): AsyncGenerator<TopicItem<string>, undefined> {
      for (const event of events) yield { sequence: ++sequence, event };
      await promise;
    }
    const position = { get: () => ['a.b', sequence], configurable: true };
    const subscription = Object.assign(read(), { [Symbol.dispose]: resolve });
    return Object.defineProperty(subscription, 'position', position) as unknown as Subscription<string>;
  }

  test('is tried again where that may help, and not where it was refused', async () => {
    const outcomes = [
      () => Promise.reject(new RpcError('NOT_EXECUTED', 'waited for too long')),
      () => {
        expect(reader.get()).toMatchObject({ isPending: true, error: { code: 'NOT_EXECUTED' } });
        return Promise.resolve(subscription(1, 'a'));
      },
    ];
    const reader = createReader<string>(() => outcomes.shift()!(), {});
    const stop = reader.subscribe(() => {});
    await vi.advanceTimersByTimeAsync(0);
    expect(reader.get()).toMatchObject({ isPending: false, error: { code: 'NOT_EXECUTED' } });
    await vi.advanceTimersByTimeAsync(2000);
    expect(reader.get()).toMatchObject({ latest: 'a', isPending: false, error: undefined });
    stop();
    const refuse = vi.fn(() => Promise.reject(new RpcError('DENIED', 'mallory may not read')));
    const refused = createReader<string>(refuse, {});
    const stopRefused = refused.subscribe(() => {});
    await vi.advanceTimersByTimeAsync(5000);
    expect(refuse).toHaveBeenCalledTimes(1);
    expect(refused.get().error).toMatchObject({ code: 'DENIED' });
    stopRefused();
  });

  test('shows what arrives together at once, keeps so much, and tells each item once', async () => {
    const told: unknown[] = [];
    const changed = vi.fn();
    const subscribe: Subscribe<string> = async () => subscription(1, 'a', 'b', 'c');
    const reader = createReader(subscribe, { keep: 2, onItem: ({ event }) => told.push(event) });
    const stop = reader.subscribe(changed);
    await vi.advanceTimersByTimeAsync(0);
    // Once for the answer, and once for all items.
    expect(changed).toHaveBeenCalledTimes(2);
    expect(reader.get().items.map(({ event }) => event)).toEqual(['b', 'c']);
    expect(told).toEqual(['a', 'b', 'c']);
    stop();
  });

  test('that has ended tells nobody of what had arrived, and shows it to those who come later', async () => {
    const onItem = vi.fn();
    const read = subscription(1, 'a');
    const position = vi.spyOn(read, 'position', 'get');
    const reader = createReader<string>(async () => read, { onItem });
    const changed = vi.fn();
    const stop = reader.subscribe(changed);
    while (position.mock.results.at(-1)?.value[1] !== 1) await Promise.resolve();
    expect(changed).toHaveBeenCalledTimes(1); // it is open, and what has arrived is shown later
    stop();
    await vi.advanceTimersByTimeAsync(10);
    expect(changed).toHaveBeenCalledTimes(1);
    expect(onItem).not.toHaveBeenCalled();
    const stopLater = reader.subscribe(() => {});
    await vi.advanceTimersByTimeAsync(10);
    expect(reader.get().latest).toBe('a');
    expect(onItem.mock.calls).toEqual([[{ sequence: 1, event: 'a' }]]);
    stopLater();
  });

  test('that is begun again shows nothing twice, whatever it is given', async () => {
    const since: unknown[] = [];
    const reader = createReader<string>(async (last) => {
      since.push(last);
      return subscription(1, 'a', 'b', ...(last === undefined ? [] : ['c']));
    }, {});
    reader.subscribe(() => {})();
    const stop = reader.subscribe(() => {});
    await vi.advanceTimersByTimeAsync(0);
    stop();
    const stopAgain = reader.subscribe(() => {});
    await vi.advanceTimersByTimeAsync(0);
    expect(since).toEqual([undefined, ['a.b', 2]]);
    expect(reader.get().items.map(({ event }) => event)).toEqual(['a', 'b', 'c']);
    stopAgain();
  });
});
