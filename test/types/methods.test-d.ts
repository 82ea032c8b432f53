import type { RemotePromise, Stub } from '@lumenize/rpc';
import { RpcTarget } from '@lumenize/rpc/server';
import { expectTypeOf, test } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: what becomes of it is to be tested
type Untyped = any;

interface User {
  id: number;
  name: string;
}

interface Settings {
  theme: 'light' | 'dark';
  size: number;
}

abstract class Base extends RpcTarget {
  protected guarded = 1;
  private secret = 2;
  abstract kind(): string;
  where(_place: string): this {
    return this;
  }
  peek(): number {
    return this.guarded + this.secret;
  }
}

class Api extends Base {
  kind(): 'api' {
    return 'api';
  }
  echo<T>(value: T): T {
    return value;
  }
  async echoLater<T>(value: T, _delay: number): Promise<T> {
    return value;
  }
  stored<T>(_key: string): T | undefined {
    return undefined;
  }
  rows<T>(_query: string): T[] {
    return [];
  }
  setting<Key extends keyof Settings>(key: Key): Settings[Key] {
    return { theme: 'dark', size: 1 }[key] as Settings[Key];
  }
  find(id: number): User;
  find(name: string, strict?: boolean): User[];
  find(_key: number | string, _strict?: boolean): User | User[] {
    return [];
  }
  declare many: {
    (a: 'a'): 1;
    (b: 'b'): 2;
    (c: 'c', d: number): 3;
    (d: 'd'): 4;
  };
  either(value: string | number): User | null {
    return typeof value === 'string' ? null : { id: value, name: '' };
  }
  flag(): boolean {
    return true;
  }
  sometimes(): string | Promise<number> {
    return '';
  }
  nothing(): void {}
  untyped(value: Untyped): Untyped {
    return value;
  }
  unknown(value: unknown): unknown {
    return value;
  }
  isUser(value: unknown): value is User {
    return value !== null;
  }
  sum(...numbers: number[]): number {
    return numbers.length;
  }
}

const api = {} as Stub<Api>;

test('what a class does not show is not there', () => {
  expectTypeOf(api).not.toHaveProperty('guarded');
  expectTypeOf(api).not.toHaveProperty('secret');
  expectTypeOf(api).not.toHaveProperty('__RPC_TARGET_BRAND');
  expectTypeOf(api.peek()).resolves.toEqualTypeOf<number>();
});

test('an abstract class and `this` can be used', () => {
  expectTypeOf({} as Stub<Base>).toHaveProperty('kind');
  expectTypeOf(api.where('x').where('y').kind()).resolves.toEqualTypeOf<'api'>();
});

test('a generic method that returns what it takes keeps its type', () => {
  expectTypeOf(api.echo(5)).resolves.toEqualTypeOf<number>();
  expectTypeOf(api.echo({ id: 1, name: '' } as User)).resolves.toEqualTypeOf<User>();
  expectTypeOf(api.echoLater(new Map<string, Date>(), 5)).resolves.toEqualTypeOf<Map<string, Date>>();
  expectTypeOf(api.echo(api.peek())).resolves.toEqualTypeOf<number>();
  expectTypeOf(api.echo({ inner: [api.peek()] })).resolves.toEqualTypeOf<{ inner: number[] }>();
  // @ts-expect-error the second argument is missing
  api.echoLater(5);
});

test('a generic method whose caller chooses the type keeps it', () => {
  expectTypeOf(api.stored<User>('x')).resolves.toEqualTypeOf<User | undefined>();
  expectTypeOf(api.stored<User>('x').name).resolves.toEqualTypeOf<string>();
  expectTypeOf(api.rows<User>('x')).resolves.toEqualTypeOf<User[]>();
  // @ts-expect-error a number is no key
  api.stored<User>(5);
});

test('any other generic method is as wide as its constraints', () => {
  expectTypeOf(api.setting('theme')).resolves.toEqualTypeOf<'light' | 'dark' | number>();
  // @ts-expect-error there is no such setting
  api.setting('volume');
});

test('a method that already returns a remote result keeps its signature', () => {
  interface Exact {
    setting<Key extends keyof Settings>(key: Key): RemotePromise<Settings[Key]>;
    relayed(value: number): RemotePromise<User>;
  }
  const exact = {} as Stub<Exact>;
  expectTypeOf(exact.setting('theme')).resolves.toEqualTypeOf<'light' | 'dark'>();
  expectTypeOf(exact.setting('size')).resolves.toEqualTypeOf<number>();
  expectTypeOf(exact.relayed(api.peek()).name).resolves.toEqualTypeOf<string>();
});

test('overloads are all kept, up to four', () => {
  expectTypeOf(api.find(1)).resolves.toEqualTypeOf<User>();
  expectTypeOf(api.find('x')).resolves.toEqualTypeOf<User[]>();
  expectTypeOf(api.find('x', true)[0].name).resolves.toEqualTypeOf<string>();
  expectTypeOf(api.many('a')).resolves.toEqualTypeOf<1>();
  expectTypeOf(api.many('b')).resolves.toEqualTypeOf<2>();
  expectTypeOf(api.many('c', 1)).resolves.toEqualTypeOf<3>();
  expectTypeOf(api.many('d')).resolves.toEqualTypeOf<4>();
  // @ts-expect-error none takes a boolean
  api.find(true);
  // @ts-expect-error no overload takes a number and a flag
  api.find(1, true);
});

test('unions stay unions, and null does not hide members', () => {
  expectTypeOf(api.either('x')).resolves.toEqualTypeOf<User | null>();
  expectTypeOf(api.either(api.peek()).name).resolves.toEqualTypeOf<string>();
  expectTypeOf(api.flag()).resolves.toEqualTypeOf<boolean>();
  expectTypeOf(api.sometimes()).resolves.toEqualTypeOf<string | number>();
  const either = Math.random() > 0.5 ? 'x' : 5;
  api.either(either);
  // @ts-expect-error a boolean is neither
  api.either(api.flag());
});

test('any, unknown, never and void are what they are', () => {
  expectTypeOf(api.untyped(api)).toBeAny();
  expectTypeOf(api.unknown(api.peek())).resolves.toBeUnknown();
  expectTypeOf(api.nothing()).resolves.toBeVoid();
  expectTypeOf(api.isUser(5)).resolves.toEqualTypeOf<boolean>();
  expectTypeOf(api.sum(1, api.peek(), 3)).resolves.toEqualTypeOf<number>();
});

test('a member that may be missing can be used as if it were there', () => {
  interface Partly {
    maybe?: (by: number) => User;
    title?: string;
    deep?: { inner?: { count: number } };
  }
  const partly = {} as Stub<Partly>;
  expectTypeOf(partly.maybe(1).name).resolves.toEqualTypeOf<string>();
  expectTypeOf(partly.maybe?.(1)).resolves.toEqualTypeOf<User>();
  expectTypeOf(partly.title).resolves.toEqualTypeOf<string | undefined>();
  expectTypeOf(partly.deep.inner.count).resolves.toEqualTypeOf<number>();
});
