import { withOptions } from '@lumenize/rpc';
import { connectInMemory } from '@lumenize/rpc/memory';
import { callContext } from '@lumenize/rpc/server';
import { RpcTarget, testConnection } from '@lumenize/rpc/testing';
import { describe, expect, test } from 'vitest';
import { until } from './support/serve.ts';

/** What outlives a connection, and lets the test decide what is waited for. */
class Bank {
  balance = 0;
  readonly reasons: unknown[] = [];
  /** What waits, oldest first. */
  readonly waiting: (() => void)[] = [];

  wait<T>(value: T): Promise<T> {
    return new Promise((resolve) => this.waiting.push(() => resolve(value)));
  }
}

const any = (validate: (value: unknown) => unknown) =>
  ({ '~standard': { version: 1, vendor: 'test', validate } }) as never;

let bank: Bank;

class Account extends RpcTarget {
  static readonly rpc = {
    deposit: { exactlyOnce: true },
    guarded: { exactlyOnce: true, guard: () => bank.wait(true) },
    checked: { exactlyOnce: true, args: any((value) => bank.wait({ value })) },
    plainGuarded: { guard: () => bank.wait(true) },
    plainChecked: { args: any((value) => bank.wait({ value })) },
  };

  deposit(amount: number): number {
    bank.balance += amount;
    return bank.balance;
  }

  guarded(amount: number): number {
    return this.deposit(amount);
  }

  checked(amount: number): number {
    return this.deposit(amount);
  }

  plainGuarded(amount: number): number {
    return this.deposit(amount);
  }

  plainChecked(amount: number): number {
    return this.deposit(amount);
  }

  read(): number {
    return bank.balance;
  }
}

class Api extends Account {
  get account(): Promise<Account> {
    return bank.wait(new Account());
  }

  get self(): Api {
    return this;
  }

  opened(): Promise<Account> {
    return bank.wait(new Account());
  }

  amount(): Promise<number> {
    return bank.wait(5);
  }

  get later(): Promise<number> {
    return bank.wait(5);
  }

  /** Resolves with why its caller no longer waits. */
  untilOver(): Promise<void> {
    const { signal } = callContext();
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        bank.reasons.push(signal.reason);
        resolve();
      });
    });
  }

  elements(): Promise<number[]> {
    return bank.wait([5]);
  }
}

/** Every way for a call to wait before its method runs; each adds 5. */
const WAITING: Readonly<Record<string, (api: Api) => unknown>> = {
  'an asynchronous getter': (api) => (api.account as never as Account).deposit(5),
  'the receiver of an asynchronous getter': (api) => (api.self.self.account as never as Account).deposit(5),
  'an asynchronous method': (api) => (api.opened() as never as Account).deposit(5),
  'an argument': (api) => api.deposit(api.amount() as never),
  'a property of an argument': (api) => api.deposit((api.self as never as { later: number }).later),
  'a guard': (api) => api.plainGuarded(5),
  'a schema': (api) => api.plainChecked(5),
  'a list for a callback': (api) => (api.elements() as never as number[]).map((amount) => api.deposit(amount)),
};

describe('a call that waits behind', () => {
  test.each(Object.entries(WAITING))('%s does not run when its caller has given it up', async (_what, call) => {
    bank = new Bank();
    using stub = connectInMemory<Api>(new Api());
    const controller = new AbortController();
    const cancellable = withOptions(stub, { signal: controller.signal });
    const called = Promise.resolve(call(cancellable as never)).catch((error: unknown) => error);
    await until(() => bank.waiting.length === 1);
    controller.abort();
    expect(await called).toMatchObject({ code: 'CANCELLED' });
    await stub.read();
    bank.waiting[0]();
    await stub.read();
    expect(await stub.read()).toBe(0);
  });

  test.each(Object.entries(WAITING))('%s does not run when its connection is lost', async (_what, call) => {
    bank = new Bank();
    using connected = testConnection(() => new Api());
    const called = Promise.resolve(call(connected.stub as never)).catch((error: unknown) => error);
    await until(() => bank.waiting.length === 1);
    connected.cut();
    await connected.stub.read();
    bank.waiting[0]();
    expect(await connected.stub.read()).toBe(0);
    connected[Symbol.dispose]();
    await called;
  });
});

test("a call's signal says whether its caller cancelled it, or waited no longer", async () => {
  bank = new Bank();
  using stub = connectInMemory<Api>(new Api());
  await stub.read();
  await expect(withOptions(stub, { timeoutMs: 5 }).untilOver()).rejects.toMatchObject({ code: 'TIMED_OUT' });
  const controller = new AbortController();
  const cancelled = withOptions(stub, { signal: controller.signal }).untilOver();
  await stub.read();
  controller.abort();
  await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
  await until(() => bank.reasons.length === 2);
  expect(bank.reasons).toMatchObject([{ code: 'TIMED_OUT' }, { code: 'CANCELLED' }]);
});

describe('an exactly-once call that is made again while its first run waits for', () => {
  test.each([
    ['an asynchronous getter', (api: Api) => (api.account as never as Account).deposit(5)],
    ['a guard', (api: Api) => api.guarded(5)],
    ['a schema', (api: Api) => api.checked(5)],
  ])('%s has its effect once', async (_what, call) => {
    bank = new Bank();
    using connected = testConnection(() => new Api());
    const called = call(connected.stub as never);
    await until(() => bank.waiting.length === 1);
    connected.cut();
    await until(() => bank.waiting.length === 2);
    bank.waiting[1]();
    expect(await called).toBe(5);
    // This acknowledges its result.
    expect(await connected.stub.read()).toBe(5);
    bank.waiting[0]();
    expect(await connected.stub.read()).toBe(5);
  });
});
