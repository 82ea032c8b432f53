import type { Stub } from '@lumenize/rpc';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { useCall } from '@lumenize/vue';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRenderer, effectScope, h, nextTick, type Ref, ref } from 'vue';

class Book extends RpcTarget {
  page(number: number): string {
    return `page ${number}`;
  }

  in(language: string | null | undefined): string {
    return `in ${language}`;
  }
}

beforeEach(() => vi.stubGlobal('window', globalThis));
afterEach(() => vi.unstubAllGlobals());

/** Mounts a component that renders nothing. Returns a function that unmounts it. */
function mount(setup: () => void): () => void {
  const root = {};
  const nothing = () => ({});
  const { createApp } = createRenderer<object, object>({
    createElement: nothing,
    createText: nothing,
    createComment: nothing,
    insert() {},
    remove() {},
    setText() {},
    setElementText() {},
    patchProp() {},
    parentNode: () => root,
    nextSibling: () => null,
  });
  const app = createApp({
    setup() {
      setup();
      return () => h('main');
    },
  });
  app.mount(root);
  return () => app.unmount();
}

/** Shows the page with this number. */
function usePage(book: Stub<Book>, number: Ref<number>) {
  return useCall(
    book,
    () => ['page', number.value],
    (book) => book.page(number.value),
  );
}

test('a key that changes before the component is mounted counts from the first call on', async () => {
  using book = connectInMemory(new Book());
  const number = ref(1);
  let page: ReturnType<typeof usePage> | undefined;
  const unmount = mount(() => {
    page = usePage(book, number);
    number.value = 2;
  });
  await vi.waitFor(() => expect(page?.value.value).toBe('page 2'));
  number.value = 1;
  await nextTick();
  expect(page?.value.value).not.toBe('page 2');
  await vi.waitFor(() => expect(page?.value.value).toBe('page 1'));
  unmount();
});

test('a key with null in place of undefined is another one', async () => {
  using book = connectInMemory(new Book());
  const language = ref<string | null | undefined>(undefined);
  const scope = effectScope();
  const page = scope.run(() =>
    useCall(
      book,
      () => ['in', language.value],
      (book) => book.in(language.value),
    ),
  )!;
  await vi.waitFor(() => expect(page.value.value).toBe('in undefined'));
  language.value = null;
  await vi.waitFor(() => expect(page.value.value).toBe('in null'));
  scope.stop();
});

test('a call in an effect scope goes on when the component is gone in which the scope began, and ends with the scope', async () => {
  using book = connectInMemory(new Book());
  const number = ref(1);
  // As stores of Pinia, and shared composables, do.
  const scope = effectScope(true);
  let page: ReturnType<typeof usePage> | undefined;
  const unmount = mount(() => {
    page = scope.run(() => usePage(book, number));
  });
  await vi.waitFor(() => expect(page?.value.value).toBe('page 1'));
  unmount();
  number.value = 2;
  await vi.waitFor(() => expect(page?.value.value).toBe('page 2'));
  scope.stop();
  number.value = 3;
  await nextTick();
  expect(page?.value.value).toBe('page 2');
});
