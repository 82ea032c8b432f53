import type { Stub, Subscription } from '@lumenize/rpc';
import { connectInMemory } from '@lumenize/rpc/memory';
import { type ApiOf, type Caller, type Methods, RpcTarget } from '@lumenize/rpc/server';
import { type } from 'arktype';
import * as v from 'valibot';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';

interface User {
  name: string;
  admin: boolean;
}

const Card = z.object({ title: z.string(), column: z.string().default('todo') });

/** Refines nothing: callers give the text of what the method gets. */
const When = z.string().transform((text) => new Date(text));

class Column extends RpcTarget {
  get title(): string {
    return '';
  }
}

class BoardApi extends RpcTarget {
  static readonly rpc = {
    add: { args: [Card, z.number().default(0)], exactlyOnce: true },
    rename: { args: [z.string().trim()], guard: ({ identity }, title) => identity.admin && title !== '' },
    move: { args: z.tuple([z.string(), z.number().optional()]), exactlyOnce: true },
    tag: { args: [v.string(), v.optional(v.number(), 1)] },
    colour: { args: [type("'red' | 'green'")] },
    sum: { args: [z.number(), z.number()], readOnly: true },
    load: { idempotent: true, args: [z.string()] },
    column: { restorable: true },
    events: { idempotent: true },
    size: { guard: ({ identity }) => identity.admin },
  } satisfies Methods<BoardApi, User>;
  add(card: z.output<typeof Card>, _place: number): string {
    return card.column;
  }
  rename(_title: string): void {}
  move(_card: string, _place?: number): number {
    return 1;
  }
  tag(_name: string, _weight = 1): void {}
  colour(_name: 'red' | 'green'): void {}
  sum(...numbers: number[]): number {
    return numbers.length;
  }
  async load(_name: string): Promise<number> {
    return 1;
  }
  column(): Column {
    return new Column();
  }
  declare events: () => Subscription<string>;
  get size(): number {
    return 1;
  }
  find(id: number): string;
  find(column: string, place: number): string;
  find(..._key: unknown[]): string {
    return '';
  }
  maybe?(by: number): number;
  echo<T>(value: T): T {
    return value;
  }
  // biome-ignore lint/suspicious/noExplicitAny: what becomes of it is to be tested
  untyped(value: any): any {
    return value;
  }
  due(_at: Date): void {}
  async *changes(): AsyncGenerator<string> {}
  watcher(): () => void {
    return () => {};
  }
  sometimes(): number | Promise<number> {
    return 1;
  }
  protected hidden(): void {}
}

const api = {} as Stub<ApiOf<typeof BoardApi>>;

test('names are those of the methods and getters that the class shows', () => {
  // @ts-expect-error there is no such method
  ({ ad: { readOnly: true } }) satisfies Methods<BoardApi>;
  // @ts-expect-error what is protected is not there
  ({ hidden: { readOnly: true } }) satisfies Methods<BoardApi>;
  // @ts-expect-error `then` is never remote
  ({ then: { readOnly: true } }) satisfies Methods<{ then(): void; add(): void }>;
});

test('options are those that there are, and a getter has a guard only', () => {
  // @ts-expect-error there is no such option
  ({ add: { readonly: true } }) satisfies Methods<BoardApi>;
  // @ts-expect-error it is true or false
  ({ add: { readOnly: 'yes' } }) satisfies Methods<BoardApi>;
  // @ts-expect-error a getter is read again anyhow
  ({ size: { readOnly: true } }) satisfies Methods<BoardApi>;
  // @ts-expect-error a getter takes no arguments
  ({ size: { args: [] } }) satisfies Methods<BoardApi>;
  ({ maybe: { readOnly: true, args: [z.number()] } }) satisfies Methods<BoardApi>;
});

test('what schemas return has to be what the method takes', () => {
  // @ts-expect-error the schema returns a number
  ({ rename: { args: [z.number()] } }) satisfies Methods<BoardApi>;
  // @ts-expect-error the column may be missing
  ({ add: { args: [z.object({ title: z.string() }), z.number()] } }) satisfies Methods<BoardApi>;
  // @ts-expect-error the second argument would be refused, which the method needs
  ({ add: { args: [Card] } }) satisfies Methods<BoardApi>;
  // @ts-expect-error the method takes one argument
  ({ rename: { args: [z.string(), z.string()] } }) satisfies Methods<BoardApi>;
  // @ts-expect-error a colour is one of two
  ({ colour: { args: [z.string()] } }) satisfies Methods<BoardApi>;
  // @ts-expect-error it takes numbers, however many
  ({ sum: { args: [z.number(), z.string()] } }) satisfies Methods<BoardApi>;
  // @ts-expect-error the list is of a text and perhaps a number
  ({ move: { args: z.tuple([z.number()]) } }) satisfies Methods<BoardApi>;
  // @ts-expect-error it is no schema
  ({ rename: { args: [/x/] } }) satisfies Methods<BoardApi>;
  // What the method need not be given may be refused.
  ({ move: { args: [z.string()] } }) satisfies Methods<BoardApi>;
  ({ due: { args: [When] } }) satisfies Methods<BoardApi>;
  ({ untyped: { args: [z.string()] }, echo: { args: [z.string()] } }) satisfies Methods<BoardApi>;
  ({ find: { args: z.union([z.tuple([z.number()]), z.tuple([z.string(), z.number()])]) } }) satisfies Methods<BoardApi>;
});

test('guards get the caller and what the method gets', () => {
  ({
    add: {
      guard: ({ identity }, card, place) => {
        expectTypeOf(identity).toEqualTypeOf<User>();
        expectTypeOf(card).toEqualTypeOf<{ title: string; column: string }>();
        expectTypeOf(place).toEqualTypeOf<number>();
        return true;
      },
    },
    rename: { guard: async ({ identity }: Caller<{ name: string }>) => identity.name === 'Ada' },
    find: { guard: (_caller, ...[key]) => typeof key === 'number' },
  }) satisfies Methods<BoardApi, User>;
  ({ rename: { guard: ({ identity }: Caller<User>) => identity.admin } }) satisfies Methods<BoardApi>;
  // @ts-expect-error the method gets a text
  ({ rename: { guard: (_caller: Caller, title: number) => title > 0 } }) satisfies Methods<BoardApi>;
  // @ts-expect-error users have no such property
  ({ rename: { guard: ({ identity }) => identity.root } }) satisfies Methods<BoardApi, User>;
  ({
    rename: {
      guard() {
        // @ts-expect-error a guard gets no target
        return this.admin;
      },
    },
  }) satisfies Methods<BoardApi>;
  // @ts-expect-error only true and false are answers
  ({ rename: { guard: () => 'yes' } }) satisfies Methods<BoardApi>;
});

test('only a synchronous method that returns a value can be exactlyOnce, and then nothing else', () => {
  ({
    add: { exactlyOnce: true },
    untyped: { exactlyOnce: true },
    rename: { exactlyOnce: true },
  }) satisfies Methods<BoardApi>;
  ({ load: { exactlyOnce: false } }) satisfies Methods<BoardApi>;
  // @ts-expect-error an asynchronous method has effects after its result is stored
  ({ load: { exactlyOnce: true } }) satisfies Methods<BoardApi>;
  // @ts-expect-error it may be asynchronous
  ({ sometimes: { exactlyOnce: true } }) satisfies Methods<BoardApi>;
  // @ts-expect-error a generator goes on after it has returned
  ({ changes: { exactlyOnce: true } }) satisfies Methods<BoardApi>;
  // @ts-expect-error a subscription cannot be stored
  ({ events: { exactlyOnce: true } }) satisfies Methods<BoardApi>;
  // @ts-expect-error a target cannot be stored
  ({ column: { exactlyOnce: true } }) satisfies Methods<BoardApi>;
  // @ts-expect-error a function cannot be stored
  ({ watcher: { exactlyOnce: true } }) satisfies Methods<BoardApi>;
  // @ts-expect-error what is stored is not run again
  ({ add: { exactlyOnce: true, idempotent: true } }) satisfies Methods<BoardApi>;
});

test('fields that hold functions are no methods, nor is a getter of a function, nor what is private', () => {
  class Timer extends RpcTarget {
    start(_at: number): number {
      return 1;
    }
    stop(): void {}
    every(..._days: string[]): void {}
    generic<T>(value: T, _by?: number): T {
      return value;
    }
    onTick = (_count: number) => {};
    readonly onStop = () => {};
    get listener(): (count: number) => void {
      return this.onTick;
    }
    hidden(): number {
      return this.secret();
    }
    private secret(): number {
      return 1;
    }
  }
  const once = { exactlyOnce: true } as const;
  ({ start: once, stop: once, every: once, generic: once }) satisfies Methods<Timer>;
  ({ listener: { guard: () => true } }) satisfies Methods<Timer>;
  // @ts-expect-error a field that holds a function
  ({ onTick: { exactlyOnce: true } }) satisfies Methods<Timer>;
  // @ts-expect-error a field that cannot be set
  ({ onStop: { exactlyOnce: true } }) satisfies Methods<Timer>;
  // @ts-expect-error a getter
  ({ listener: { exactlyOnce: true } }) satisfies Methods<Timer>;
  // @ts-expect-error a private method
  ({ secret: { exactlyOnce: true } }) satisfies Methods<Timer>;
});

test('a method whose result holds what cannot be stored, at any depth, is never exactlyOnce', () => {
  interface Tree {
    readonly name: string;
    readonly children: readonly Tree[];
    parent?: Tree;
  }
  class Wallet {
    readonly coins = 1;
    private count(): number {
      return this.coins;
    }
    total = this.count();
  }
  interface Results {
    column(): { column: Column };
    columns(): Column[];
    byName(): Map<string, { columns: Set<Column> }>;
    stub(): [number, Stub<Column>];
    callback(): { done: () => void };
    perhaps(): { done?: () => void } | undefined;
    service(): { list: { run(): void } };
    promise(): { ready: Promise<number> };
    lines(): { lines: AsyncGenerator<string> };
    topic(): { changes: Subscription<string> };
    stream(): { body: ReadableStream<string> };
    file(): { file: File };
    signal(): AbortSignal;
    wallet(): { wallet: Wallet };
    tree(): Tree;
    values(): {
      list: Date[];
      map: Map<string, Uint8Array>;
      pair: readonly [bigint, URL];
      error: RangeError;
      any?: unknown;
    };
    nothing(): void;
    either(): string | { readonly kind: 'x' } | undefined;
  }
  ({
    tree: { exactlyOnce: true },
    values: { exactlyOnce: true },
    nothing: { exactlyOnce: true },
    either: { exactlyOnce: true },
  }) satisfies Methods<Results>;
  // @ts-expect-error
  ({ column: { exactlyOnce: true } }) satisfies Methods<Results>;
  // @ts-expect-error
  ({ columns: { exactlyOnce: true } }) satisfies Methods<Results>;
  // @ts-expect-error
  ({ byName: { exactlyOnce: true } }) satisfies Methods<Results>;
  // @ts-expect-error
  ({ stub: { exactlyOnce: true } }) satisfies Methods<Results>;
  // @ts-expect-error
  ({ callback: { exactlyOnce: true } }) satisfies Methods<Results>;
  // @ts-expect-error
  ({ perhaps: { exactlyOnce: true } }) satisfies Methods<Results>;
  // @ts-expect-error
  ({ service: { exactlyOnce: true } }) satisfies Methods<Results>;
  // @ts-expect-error
  ({ promise: { exactlyOnce: true } }) satisfies Methods<Results>;
  // @ts-expect-error
  ({ lines: { exactlyOnce: true } }) satisfies Methods<Results>;
  // @ts-expect-error
  ({ topic: { exactlyOnce: true } }) satisfies Methods<Results>;
  // @ts-expect-error
  ({ stream: { exactlyOnce: true } }) satisfies Methods<Results>;
  // @ts-expect-error
  ({ file: { exactlyOnce: true } }) satisfies Methods<Results>;
  // @ts-expect-error
  ({ signal: { exactlyOnce: true } }) satisfies Methods<Results>;
  // @ts-expect-error an instance of a class that is not registered
  ({ wallet: { exactlyOnce: true } }) satisfies Methods<Results>;
});

test('subclasses inherit what is said, and say more', () => {
  class Base extends RpcTarget {
    static readonly rpc: Methods<Base> = {
      title: { readOnly: true },
      rename: { args: [z.string()], exactlyOnce: true },
    };
    title(): string {
      return '';
    }
    rename(_title: string): void {}
  }
  class Inheriting extends Base {
    archive(): void {}
  }
  class Adding extends Base {
    static override readonly rpc: Methods<Adding> = { archive: { exactlyOnce: true }, rename: { idempotent: true } };
    archive(): void {}
  }
  class Stricter extends BoardApi {
    static override readonly rpc = {
      ...BoardApi.rpc,
      rename: { args: [z.string().max(5)], guard: ({ identity }) => identity.name === 'Ada' },
      archive: { exactlyOnce: true },
    } satisfies Methods<Stricter, User>;
    archive(): void {}
  }
  class Wrong extends Base {
    // @ts-expect-error there is no such method
    static override readonly rpc: Methods<Wrong> = { archive: { exactlyOnce: true } };
  }
  expectTypeOf({} as Stub<Inheriting>).toHaveProperty('archive');
  expectTypeOf({} as Stub<Adding>).toHaveProperty('rename');
  expectTypeOf({} as ApiOf<typeof Inheriting>).toEqualTypeOf<Inheriting>();
  expectTypeOf({} as Stub<ApiOf<typeof Stricter>>).toHaveProperty('archive');
  void Wrong;
});

test('a subclass adds to what its base declares, and cannot take a guard or a schema away', () => {
  class Base extends RpcTarget {
    static readonly rpc = {
      rename: { guard: ({ identity }) => identity.admin, args: [z.string()] },
    } satisfies Methods<Base, User>;
    rename(_title: string): void {}
    archive(): void {}
  }
  class Adding extends Base {
    static override readonly rpc = {
      ...Base.rpc,
      rename: { ...Base.rpc.rename, idempotent: true },
      archive: { guard: ({ identity }) => identity.admin },
    } satisfies Methods<Adding, User>;
  }
  class Stricter extends Base {
    static override readonly rpc = {
      rename: { guard: ({ identity }) => identity.name === 'Ada', args: [z.string().max(5)] },
    } satisfies Methods<Stricter, User>;
  }
  // @ts-expect-error the guard of its base is gone
  class Open extends Base {
    static override readonly rpc = {
      rename: { args: [z.string()], idempotent: true },
    } satisfies Methods<Open, User>;
  }
  // @ts-expect-error the schema of its base is gone
  class Loose extends Base {
    static override readonly rpc = {
      rename: { guard: ({ identity }) => identity.admin },
    } satisfies Methods<Loose, User>;
  }
  // @ts-expect-error nothing is no guard
  class Undefined extends Base {
    static override readonly rpc = { rename: { ...Base.rpc.rename, guard: undefined } } satisfies Methods<
      Undefined,
      User
    >;
  }
  void [Adding, Stricter, Open, Loose, Undefined];
});

test('callers give what the schemas take, and leave out what these fill in', () => {
  api.add({ title: 'x' });
  api.add({ title: 'x', column: 'done' }, 1);
  api.tag('x');
  api.move('x');
  api.sum(1, 2);
  expectTypeOf<Parameters<ApiOf<typeof BoardApi>['add']>>().toEqualTypeOf<
    [card: { title: string; column?: string | undefined }, place?: number | undefined]
  >();
  expectTypeOf(api.add({ title: 'x' })).resolves.toEqualTypeOf<string>();
  expectTypeOf(api.column().title).resolves.toEqualTypeOf<string>();
  expectTypeOf(api.size).resolves.toEqualTypeOf<number>();
  expectTypeOf(api.echo(5)).resolves.toEqualTypeOf<number>();
  // @ts-expect-error the title is missing
  api.add({ column: 'done' });
  // @ts-expect-error the method always gets a column
  new BoardApi().add({ title: 'x' }, 1);
  // @ts-expect-error a colour is one of two
  api.colour('blue');
  // @ts-expect-error what is protected is not there
  api.hidden();
});

test('the class stands for its API where a target is asked for', () => {
  using board = connectInMemory<ApiOf<typeof BoardApi>>(new BoardApi());
  expectTypeOf(board.add({ title: 'x' })).resolves.toEqualTypeOf<string>();
});

test('what callers may leave out is for the schema to say, not for the method', () => {
  class Shapes extends RpcTarget {
    static readonly rpc = {
      paint: { args: [z.string().default('red'), z.number().optional()] },
      turn: { args: [z.number(), z.unknown()] },
      move: { args: [z.string()] },
    } satisfies Methods<Shapes>;
    paint(_colour: string, _width = 1): void {}
    turn(_by = 1, _about?: unknown): void {}
    move(_to: string, _speed?: number): void {}
  }
  const shapes = {} as Stub<ApiOf<typeof Shapes>>;
  shapes.paint();
  shapes.paint('blue', 2);
  shapes.turn(1);
  shapes.move('x');
  // @ts-expect-error the schema wants a number, although the method has a default
  shapes.turn();
  // @ts-expect-error an argument without a schema would be refused
  shapes.move('x', 1);
});

test('callers of what transforms give what is transformed', () => {
  class Reminders extends RpcTarget {
    static readonly rpc = { set: { args: [z.string(), When] } } satisfies Methods<Reminders>;
    set(_text: string, _at: Date): void {}
  }
  const reminders = {} as Stub<ApiOf<typeof Reminders>>;
  reminders.set('x', '2026-01-01');
  // @ts-expect-error callers give the text
  reminders.set('x', new Date());
  class Plain extends RpcTarget {
    add(by: number): number {
      return by;
    }
  }
  expectTypeOf({} as ApiOf<typeof Plain>).toEqualTypeOf<Plain>();
});

test('generic and abstract classes declare as others do, and options may be shared', () => {
  class Shelf<Book> extends RpcTarget {
    static readonly rpc = { put: { exactlyOnce: true } } satisfies Methods<Shelf<unknown>>;
    put(_book: Book): void {}
  }
  abstract class Page extends RpcTarget {
    static readonly rpc: Methods<Page> = { text: { readOnly: true } };
    abstract text(): string;
  }
  class Cover extends Page {
    static override readonly rpc = { text: { idempotent: true } } satisfies Methods<Cover>;
    text(): string {
      return '';
    }
  }
  const again = { idempotent: true } as const;
  class Reader extends RpcTarget {
    static readonly rpc = { open: again, close: again } satisfies Methods<Reader>;
    async open(): Promise<void> {}
    close(): void {}
  }
  class Writer extends RpcTarget {
    // @ts-expect-error an asynchronous method has effects after its result is stored
    static readonly rpc = { write: { exactlyOnce: true } } satisfies Methods<Writer>;
    async write(): Promise<void> {}
  }
  expectTypeOf({} as Stub<ApiOf<typeof Cover>>).toHaveProperty('text');
  expectTypeOf({} as Stub<ApiOf<typeof Reader>>).toHaveProperty('open');
  void [Shelf, Writer];
});
