import { connect, RpcError, type Subscription, type TopicItem } from '@lumenize/rpc';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { invalidateOn, rpcKey, rpcMutation, rpcQuery } from '@lumenize/tanstack-query';
import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest';

class Page extends RpcTarget {
  lines(): number {
    return 2;
  }
}

class Book extends RpcTarget {
  title = 'untitled';
  calls = 0;
  cancelled = false;

  name(): string {
    this.calls++;
    return this.title;
  }

  rename(title: string): number {
    if (title === '') throw new RangeError('a book has a title');
    this.title = title;
    return title.length;
  }

  page(number: number, language?: string): string {
    return `${number} ${language ?? 'en'}`;
  }

  open(): Page {
    return new Page();
  }

  later(): Promise<string> {
    return new Promise(() => {});
  }

  refused(): never {
    this.calls++;
    throw new RpcError('DENIED', 'not for you');
  }
}

let client: QueryClient;
beforeEach(() => {
  client = new QueryClient();
});
afterEach(() => client.clear());

describe('a query', () => {
  test('calls its method, and has a key of where it is and what it is called with', async () => {
    using book = connectInMemory(new Book());
    const options = rpcQuery(book.page)(7, 'fr');
    expectTypeOf(await client.fetchQuery(options)).toEqualTypeOf<string>();
    expect(await client.fetchQuery(options)).toBe('7 fr');
    expect(options.queryKey).toEqual(['rpc', expect.any(Number), 'page', [7, 'fr']]);
    expectTypeOf(client.getQueryData(options.queryKey)).toEqualTypeOf<string | undefined>();
    expect(client.getQueryData(options.queryKey)).toBe('7 fr');
    expect(client.getQueryData(rpcQuery(book.page)(8).queryKey)).toBe(undefined);
    // @ts-expect-error it takes a number
    rpcQuery(book.page)('7');
  });

  test('has a key that begins with the URL of its connection, and is the same for another one to it', () => {
    const url = 'ws://localhost:1/rpc/book/main';
    using one = connect<Book>(url);
    using two = connect<Book>(url);
    expect(rpcKey(one.name)).toEqual(['rpc', url, 'name']);
    expect(rpcKey(two.name)).toEqual(rpcKey(one.name));
    using other = connectInMemory(new Book());
    using another = connectInMemory(new Book());
    expect(rpcKey(other)).not.toEqual(rpcKey(another));
  });

  test('of a target that was returned has a key of its own', async () => {
    using book = connectInMemory(new Book());
    const [one, two] = [await book.open(), await book.open()];
    expect(await client.fetchQuery(rpcQuery(one.lines)())).toBe(2);
    expect(rpcKey(one.lines)).not.toEqual(rpcKey(two.lines));
    expect(rpcKey(one.lines)).toEqual(rpcKey(one.lines));
  });

  test('is cancelled when nobody shows it any more', async () => {
    using book = connectInMemory(new Book());
    const observer = new QueryObserver(client, rpcQuery(book.later)());
    const end = observer.subscribe(() => {});
    const { queryKey } = rpcQuery(book.later)();
    expect(client.getQueryState(queryKey)?.fetchStatus).toBe('fetching');
    end();
    await vi.waitFor(() => expect(client.getQueryState(queryKey)?.fetchStatus).toBe('idle'));
  });

  test('is tried again where that may help only', async () => {
    const target = new Book();
    using book = connectInMemory(target);
    const end = new QueryObserver(client, rpcQuery(book.refused)()).subscribe(() => {});
    const { queryKey, retry } = rpcQuery(book.refused)();
    await vi.waitFor(() => expect(client.getQueryState(queryKey)?.error).toMatchObject({ code: 'DENIED' }));
    expect(target.calls).toBe(1);
    expect([0, 2, 3].map((failures) => retry(failures, new RpcError('OVERLOADED', 'later')))).toEqual([
      true,
      true,
      false,
    ]);
    expect(retry(0, new RangeError('no'))).toBe(false);
    end();
  });
});

test('a mutation calls its method with the arguments', async () => {
  using book = connectInMemory(new Book());
  const { mutationFn, mutationKey } = rpcMutation(book.rename);
  expect(await mutationFn(['Ulysses'])).toBe(7);
  await expect(mutationFn([''])).rejects.toThrow('a book has a title');
  expect(mutationKey).toEqual(rpcKey(book.rename));
  // @ts-expect-error it takes a title
  void mutationFn([1]).catch(() => {});
});

test.each([
  ['abc', 'string'],
  [undefined, 'undefined'],
  [null, 'object'],
  [5, 'number'],
  [new Set(['Ulysses']), 'object'],
])('a mutation of %j, which is no list, says how its arguments are given, and calls nothing', async (given, type) => {
  const target = new Book();
  using book = connectInMemory(target);
  const { mutationFn } = rpcMutation(book.rename);
  const message = `mutate() needs a list of arguments, not ${type}`;
  await expect(mutationFn(given as never)).rejects.toThrow(new TypeError(message));
  expect(target.title).toBe('untitled');
});

describe('a topic', () => {
  beforeEach(() => vi.stubGlobal('window', {}));
  afterEach(() => void vi.unstubAllGlobals());

  /** A topic whose items a test gives. */
  function topic() {
    const waiting: ((item: TopicItem<string>) => void)[] = [];
    const items: TopicItem<string>[] = [];
    const subscribe = async (): Promise<Subscription<string>> => {
      async function* read(): AsyncGenerator<TopicItem<string>, undefined> {
        while (true) yield items.shift() ?? (await new Promise<TopicItem<string>>((resolve) => waiting.push(resolve)));
      }
      return Object.assign(read(), { sequence: 0, [Symbol.dispose]() {} }) as never;
    };
    const give = (...given: TopicItem<string>[]) => {
      items.push(...given);
      const next = waiting.shift();
      if (next) next(items.shift()!);
    };
    return { subscribe, give };
  }

  test('invalidates the queries that its events have changed, once for all that arrive together', async () => {
    const target = new Book();
    using book = connectInMemory(target);
    const { subscribe, give } = topic();
    const end = invalidateOn(client, book, subscribe, (event) => (event === 'named' ? [book.name] : []));
    await new Promise((resolve) => setTimeout(resolve)); // it has subscribed by then
    const observer = new QueryObserver(client, { ...rpcQuery(book.name)(), staleTime: Number.POSITIVE_INFINITY });
    const stop = observer.subscribe(() => {});
    await client.fetchQuery({ ...rpcQuery(book.page)(1), staleTime: Number.POSITIVE_INFINITY });
    await vi.waitFor(() => expect(observer.getCurrentResult().data).toBe('untitled'));
    target.title = 'Ulysses';
    give({ sequence: 1, event: 'named' }, { sequence: 2, event: 'other' }, { sequence: 3, event: 'named' });
    await vi.waitFor(() => expect(observer.getCurrentResult().data).toBe('Ulysses'));
    expect(target.calls).toBe(2);
    expect(client.getQueryState(rpcQuery(book.page)(1).queryKey)?.isInvalidated).toBe(false);
    end();
    stop();
  });

  test('invalidates all queries of its stub where events are gone, and no others', async () => {
    using book = connectInMemory(new Book());
    const { subscribe, give } = topic();
    const end = invalidateOn(client, book, subscribe, () => []);
    const own = rpcQuery(book.page)(1);
    await client.fetchQuery(own);
    client.setQueryData(['other'], 1);
    give({ sequence: 5, missed: 4 });
    await vi.waitFor(() => expect(client.getQueryState(own.queryKey)?.isInvalidated).toBe(true));
    expect(client.getQueryState(['other'])?.isInvalidated).toBe(false);
    end();
  });

  test('invalidates once what was there before it was subscribed to', async () => {
    using book = connectInMemory(new Book());
    const { subscribe } = topic();
    const [before, after] = [rpcQuery(book.page)(1), rpcQuery(book.page)(2)];
    await client.fetchQuery(before);
    const end = invalidateOn(client, book, subscribe, () => []);
    await vi.waitFor(() => expect(client.getQueryState(before.queryKey)?.isInvalidated).toBe(true));
    client.setQueryData(after.queryKey, 'later');
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(client.getQueryState(after.queryKey)?.isInvalidated).toBe(false);
    end();
  });

  test('invalidates what was loaded while it was being subscribed to', async () => {
    using book = connectInMemory(new Book());
    const allowed = Promise.withResolvers<void>();
    // As a method that asks who is calling: what changes meanwhile is before its subscription.
    const subscribe = () => allowed.promise.then(topic().subscribe);
    const end = invalidateOn(client, book, subscribe, () => []);
    await Promise.resolve();
    const meanwhile = rpcQuery(book.name)();
    await client.fetchQuery(meanwhile);
    expect(client.getQueryState(meanwhile.queryKey)?.isInvalidated).toBe(false);
    allowed.resolve();
    await vi.waitFor(() => expect(client.getQueryState(meanwhile.queryKey)?.isInvalidated).toBe(true));
    end();
  });

  test('loads again what was being loaded when it was subscribed to', async () => {
    using book = connectInMemory(new Book());
    const { subscribe } = topic();
    const answers: PromiseWithResolvers<string>[] = [];
    const queryFn = () => {
      answers.push(Promise.withResolvers());
      return answers.at(-1)!.promise;
    };
    const slow = { queryKey: rpcKey(book.name), queryFn, staleTime: Number.POSITIVE_INFINITY };
    const stop = new QueryObserver(client, slow).subscribe(() => {});
    const end = invalidateOn(client, book, subscribe, () => []);
    await new Promise((resolve) => setTimeout(resolve, 10));
    answers[0].resolve('before');
    await vi.waitFor(() => expect(answers.length).toBe(2));
    answers[1].resolve('after');
    await vi.waitFor(() => expect(client.getQueryData(slow.queryKey)).toBe('after'));
    end();
    stop();
  });

  test.each([true, false])('loads again what was being loaded when its event came, shown: %s', async (isShown) => {
    using book = connectInMemory(new Book());
    const { subscribe, give } = topic();
    const answers: PromiseWithResolvers<string>[] = [];
    const slow = {
      queryKey: rpcKey(book.name),
      queryFn: () => {
        answers.push(Promise.withResolvers());
        return answers.at(-1)!.promise;
      },
      staleTime: Number.POSITIVE_INFINITY,
    };
    const end = invalidateOn(client, book, subscribe, () => [book.name]);
    const stop = isShown ? new QueryObserver(client, slow).subscribe(() => {}) : () => {};
    if (!isShown) void client.fetchQuery(slow);
    await vi.waitFor(() => expect(answers.length).toBe(1));
    give({ sequence: 1, event: 'named' });
    give({ sequence: 2, event: 'named' });
    await new Promise((resolve) => setTimeout(resolve, 10));
    answers[0].resolve('before');
    if (isShown) {
      await vi.waitFor(() => expect(answers.length).toBe(2));
      answers[1].resolve('after');
      await vi.waitFor(() => expect(client.getQueryData(slow.queryKey)).toBe('after'));
      expect(answers.length).toBe(2);
    } else {
      await vi.waitFor(() => expect(client.getQueryState(slow.queryKey)).toMatchObject({ isInvalidated: true }));
      await vi.waitFor(() => expect(client.getQueryState(slow.queryKey)).toMatchObject({ fetchStatus: 'idle' }));
      expect(client.getQueryState(slow.queryKey)).toMatchObject({ data: 'before', isInvalidated: true });
    }
    end();
    stop();
  });

  test('invalidates what came while it could not be subscribed to', async () => {
    using book = connectInMemory(new Book());
    const { subscribe } = topic();
    let isBusy = true;
    const end = invalidateOn(
      client,
      book,
      async () => {
        if (isBusy) throw new RpcError('OVERLOADED', 'later');
        return subscribe();
      },
      () => [],
    );
    await Promise.resolve();
    const meanwhile = rpcQuery(book.page)(1);
    await client.fetchQuery(meanwhile);
    isBusy = false;
    await vi.waitFor(() => expect(client.getQueryState(meanwhile.queryKey)?.isInvalidated).toBe(true), 5000);
    end();
  });

  test('that cannot be subscribed to is logged, because its queries stay as they are', async () => {
    using book = connectInMemory(new Book());
    using logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const refusals = [new RpcError('OVERLOADED', 'later'), new RpcError('DENIED', 'not for you')];
    const subscribe = () => Promise.reject(refusals.shift());
    const end = invalidateOn(client, book, subscribe, () => []);
    const denied = expect.objectContaining({ code: 'DENIED' });
    await vi.waitFor(
      () => expect(logged.mock.calls).toEqual([[expect.stringContaining('invalidateOn()'), denied]]),
      5000,
    );
    end();
  });
});

describe('a chain', () => {
  test('whose calls each rendering makes anew is refused as the key of queries', async () => {
    using book = connectInMemory(new Book());
    for (const key of [() => rpcQuery(book.open().lines), () => rpcKey(book.open())]) {
      expect(key).toThrow(TypeError);
      expect(key).toThrow('await it first');
    }
    const opened = await book.open();
    expect(await client.fetchQuery(rpcQuery(opened.lines)())).toBe(2);
    await rpcMutation(book.open().lines).mutationFn([]);
  });
});
