import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { callStore, stubStore } from '@lumenize/stores';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

class Book extends RpcTarget {
  title(): string {
    return 'Ulysses';
  }
}

beforeEach(() => vi.stubGlobal('window', {}));
afterEach(() => void vi.unstubAllGlobals());

describe('a call that another component has loaded before', () => {
  test('is shown as the server has shown it while the page hydrates, and then as it is', async () => {
    using book = connectInMemory(new Book());
    const loaded = callStore(book, 'title', (book) => book.title());
    const stop = loaded.subscribe(() => {});
    await vi.waitFor(() => expect(loaded.get().value).toBe('Ulysses'));
    const hydrating = callStore(book, 'title', (book) => book.title(), { initial: 'untitled' });
    expect(hydrating.initial).toMatchObject({ value: 'untitled', isPending: true });
    expect(hydrating.initial).toBe(hydrating.initial);
    expect(await hydrating.initial.promise).toBe('Ulysses');
    expect(hydrating.get().value).toBe('Ulysses');
    stop();
  });
});

test('what no component has mounted does not keep a process from ending', () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  using book = connectInMemory(new Book());
  callStore(book, 'title', (book) => book.title()).get();
  stubStore('ws://localhost:1/rpc/book/main').get();
  expect(timers()).toBe(before);
});
