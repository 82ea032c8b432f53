import { connect, type RemotePromise } from '@lumenize/rpc';
import { RpcTarget } from '@lumenize/rpc/server';
import { describe, expectTypeOf, test } from 'vitest';

class Phone extends RpcTarget {
  call(name: string): number {
    return name.length;
  }
  apply(settings: { loud: boolean }): boolean {
    return settings.loud;
  }
  bind(port: number): string {
    return `${port}`;
  }
}

class Sums extends RpcTarget {
  get phone(): Phone {
    return new Phone();
  }
  sum(first: number, second: number): number {
    return first + second;
  }
  adder(): (by: number) => number {
    return (by) => by;
  }
}

const stub = connect<Sums>('ws://localhost/rpc/sums/main');

describe('a method that is used as a function', () => {
  test('has the types of the call', () => {
    expectTypeOf(stub.sum.call(stub, 1, 2)).toEqualTypeOf<RemotePromise<number>>();
    expectTypeOf(stub.sum.apply(undefined, [1, 2])).toEqualTypeOf<RemotePromise<number>>();
    expectTypeOf(stub.sum.bind(stub, 1)(2)).toEqualTypeOf<RemotePromise<number>>();
    expectTypeOf(stub.sum?.(1, 2)).toEqualTypeOf<RemotePromise<number>>();
    // @ts-expect-error one is missing
    stub.sum.call(stub, 1);
    // @ts-expect-error not a number
    stub.sum.apply(stub, [1, 'two']);
    // @ts-expect-error not a number
    stub.sum.bind(stub, 'one');
  });

  test('goes through a wrapper with its types', () => {
    const wrapped = <Args extends unknown[], Result>(method: (...args: Args) => Result) =>
      function (this: unknown, ...args: Args): Result {
        return method.apply(this, args);
      };
    expectTypeOf(wrapped(stub.sum)(1, 2)).toEqualTypeOf<RemotePromise<number>>();
    // @ts-expect-error not a number
    wrapped(stub.sum)(1, 'two');
  });

  test('is a function of the other side, too', async () => {
    using add = await stub.adder();
    expectTypeOf(add.call(null, 1)).toEqualTypeOf<RemotePromise<number>>();
    expectTypeOf(add.bind(null)(1)).toEqualTypeOf<RemotePromise<number>>();
  });

  test('is none that is declared by such a name', () => {
    expectTypeOf(stub.phone.call('Ada')).toEqualTypeOf<RemotePromise<number>>();
    expectTypeOf(stub.phone.apply({ loud: true })).toEqualTypeOf<RemotePromise<boolean>>();
    expectTypeOf(stub.phone.bind(80)).toEqualTypeOf<RemotePromise<string>>();
    // @ts-expect-error a name is wanted
    stub.phone.call(null, 'Ada');
    expectTypeOf(stub.phone.call.call(null, 'Ada')).toEqualTypeOf<RemotePromise<number>>();
  });
});
