import type { Received, Stub } from '@lumenize/rpc';
import { RpcTarget } from '@lumenize/rpc/server';
import { expectTypeOf, test } from 'vitest';

interface Tree {
  value: number;
  children: Tree[];
  parent?: Tree;
  index: Map<string, Tree>;
}

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

type Expression = number | ['add', Expression, Expression] | ['negate', Expression, note?: string];

type Element = [tag: string, ...Element[]] | string;

type Handler = [listener: () => void, ...Handler[]];

interface Linked {
  name: string;
  open(): void;
  next: Linked | null;
}

class Folder extends RpcTarget {
  get name(): string {
    return '';
  }
  parent(): Folder | undefined {
    return undefined;
  }
  folders(): Folder[] {
    return [];
  }
  files(): File[] {
    return [];
  }
}

class File extends RpcTarget {
  folder(): Folder {
    return new Folder();
  }
  content(): Json {
    return null;
  }
}

interface Api {
  tree(): Tree;
  json(): Json;
  linked(): Linked;
  root(): Folder;
  plant(tree: Tree): void;
  store(json: Json): void;
  visit(walk: (tree: Tree, folder: Folder) => Tree): void;
  expression(): Expression;
  evaluate(expression: Expression): number;
  element(): Element;
  render(element: Element): void;
  handler(): Handler;
  handle(handler: Handler): void;
  nested(): Nested<Nested<Nested<number>>>;
}

interface Nested<T> {
  value: T;
  again: Nested<T>[];
}

const api = {} as Stub<Api>;

test('recursive data stays what it is', () => {
  expectTypeOf(api.tree()).resolves.toEqualTypeOf<Tree>();
  expectTypeOf(api.json()).resolves.toEqualTypeOf<Json>();
  expectTypeOf(api.nested()).resolves.toEqualTypeOf<Nested<Nested<Nested<number>>>>();
  expectTypeOf(api.tree().children[0].children[1].parent.value).resolves.toEqualTypeOf<number>();
});

test('recursive data can be sent', () => {
  api.plant(api.tree());
  api.plant({ value: 1, children: [api.tree(), { value: 2, children: [], index: new Map() }], index: new Map() });
  api.store({ deep: [{ deeper: [1, 'x', null, api.json()] }] });
  api.visit((tree, folder) => {
    expectTypeOf(folder.folders()[0].name).resolves.toEqualTypeOf<string>();
    return tree.children[0];
  });
  // @ts-expect-error a function is no JSON
  api.store({ deep: [() => 5] });
});

test('tuples that contain themselves can be sent and arrive', () => {
  expectTypeOf(api.expression()).resolves.toEqualTypeOf<Expression>();
  api.evaluate(['add', ['negate', 1, 'x'], api.expression()]);
  api.evaluate(['add', 5, api.evaluate(['negate', 5])]);
  // @ts-expect-error an operand is missing
  api.evaluate(['add', 5]);
  // @ts-expect-error a text is no expression
  api.evaluate(['negate', ['add', 'x', 5]]);
  // @ts-expect-error there are too many operands
  api.evaluate(['negate', 5, 'x', 5]);
});

test('lists that begin with an item and contain themselves can be sent and arrive', () => {
  expectTypeOf(api.element()).resolves.toEqualTypeOf<Element>();
  api.render(['ul', ['li', 'one'], api.element()]);
  // @ts-expect-error a list begins with its tag
  api.render(['ul', [['li']]]);
  api.handle([() => {}, [() => {}], api.handler()]);
  // @ts-expect-error a list begins with a listener
  api.handle([[() => {}]]);
});

test('recursive data with functions becomes stubs all the way', async () => {
  const linked = await api.linked();
  expectTypeOf(linked.name).toEqualTypeOf<string>();
  expectTypeOf(linked.next?.next?.open()).toEqualTypeOf<ReturnType<typeof linked.open> | undefined>();
  expectTypeOf(linked.next!.next!.next!.name).toEqualTypeOf<string>();
});

test('targets that lead to each other are followed as far as one goes', async () => {
  expectTypeOf(
    api.root().folders()[0].parent().files()[0].folder().parent().folders()[3].name,
  ).resolves.toEqualTypeOf<string>();
  using folder = await api.root();
  using file = await folder.files()[0].folder().files()[1];
  expectTypeOf(file).toEqualTypeOf<Stub<File>>();
});

test('what has arrived can arrive again', () => {
  expectTypeOf<Received<Received<Folder>>>().toEqualTypeOf<Stub<Folder>>();
  expectTypeOf<Received<Received<{ list: Folder[] }>>>().toEqualTypeOf<{ list: Stub<Folder>[] }>();
  expectTypeOf<Received<Received<Tree>>>().toEqualTypeOf<Tree>();
});
