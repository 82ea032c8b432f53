import { connect, type Stub } from '@lumenize/rpc';
import { RpcTarget } from '@lumenize/rpc/server';
import { expectTypeOf, test } from 'vitest';

class Profile extends RpcTarget {
  get name(): string {
    return '';
  }
}

class Api extends RpcTarget {
  #hidden = 1;
  increment(by = 1): number {
    return by + this.#hidden;
  }
  async later(): Promise<Map<string, Date>> {
    return new Map();
  }
  profile(): Profile {
    return new Profile();
  }
  record(): { id: number; inner: { tags: string[] } } | undefined {
    return undefined;
  }
  greet(name: string, times: number): string {
    return name.repeat(times);
  }
  get version(): number {
    return 1;
  }
  fails(): never {
    throw new Error();
  }
}

const api = {} as Stub<Api>;

test('results are promises of what the methods return', () => {
  expectTypeOf(api.increment()).resolves.toEqualTypeOf<number>();
  expectTypeOf(api.later()).resolves.toEqualTypeOf<Map<string, Date>>();
  expectTypeOf(api.version).resolves.toEqualTypeOf<number>();
  expectTypeOf(api.fails()).resolves.toEqualTypeOf<never>();
});

test('members of results can be used before they arrive', () => {
  expectTypeOf(api.profile().name).resolves.toEqualTypeOf<string>();
  expectTypeOf(api.record().inner.tags).resolves.toEqualTypeOf<string[]>();
});

test('results can be arguments', () => {
  expectTypeOf(api.greet(api.profile().name, api.increment())).resolves.toEqualTypeOf<string>();
});

test('mistakes are found', () => {
  // @ts-expect-error a string is no number
  api.increment('1');
  // @ts-expect-error there is no such method
  api.decrement();
  // @ts-expect-error an argument is missing
  api.greet('x');
  // @ts-expect-error the promise of a string is no number
  api.increment(api.profile().name);
  // @ts-expect-error members cannot be assigned
  api.version = 2;
});

test('a stub without a type takes any call', () => {
  const untyped = connect('ws://localhost/rpc/a/b');
  expectTypeOf(untyped).toBeAny();
  // biome-ignore lint/suspicious/noExplicitAny: what untyped code writes
  expectTypeOf(connect<any>('ws://localhost/rpc/a/b')).toBeAny();
});

test('a stub is disposable, and no promise', () => {
  expectTypeOf(api).toExtend<Disposable>();
  expectTypeOf(api).not.toHaveProperty('then');

  interface WithNamesOfTools {
    asymmetricMatch(): void;
    _isMockFunction(): void;
    '@@iterator'(): void;
    real(): void;
  }
  expectTypeOf<keyof Stub<WithNamesOfTools>>().extract<string>().toEqualTypeOf<'real'>();
});

test('an interface describes a target as well as a class', () => {
  interface Shape {
    area(): number;
  }
  expectTypeOf(connect<Shape>('ws://localhost/rpc/a/b').area()).resolves.toEqualTypeOf<number>();
});
