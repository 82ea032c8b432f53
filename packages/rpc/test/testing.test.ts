import { connection, connectOver, type OpenTransport, RpcError } from '@lumenize/rpc';
import { RpcTarget, TestNetwork, testConnection } from '@lumenize/rpc/testing';
import { describe, expect, test, vi } from 'vitest';
import { until } from './support/serve.ts';

class Account extends RpcTarget {
  static readonly rpc = { balance: { readOnly: true }, deposit: { exactlyOnce: true } };
  readonly #book: { balance: number };
  readonly user: unknown;

  constructor(book: { balance: number }, user?: unknown) {
    super();
    this.#book = book;
    this.user = user;
  }

  balance(): number {
    return this.#book.balance;
  }

  deposit(amount: number): number {
    this.#book.balance += amount;
    return this.#book.balance;
  }

  /** As `deposit`, but nothing is declared of it. */
  add(amount: number): number {
    return this.deposit(amount);
  }

  whoAmI(): unknown {
    return this.user;
  }
}

/** A connection to an account whose book outlives it, as storage does. */
function account() {
  const book = { balance: 0 };
  return testConnection(() => new Account(book));
}

describe('a connection in memory', () => {
  test('serves a target that is made for the caller with the first call', async () => {
    using connected = testConnection(({ identity }) => new Account({ balance: 3 }, identity), { identity: 'ada' });
    const { stub } = connected;
    expect(connected.target).toBeUndefined();
    expect([await stub.balance(), await stub.whoAmI()]).toEqual([3, 'ada']);
    expect(connected.target).toBeInstanceOf(Account);
    expect(connected.target?.user).toBe('ada');
  });

  test('refuses what is no target, and says which function returned it', async () => {
    using connected = testConnection(() => ({ balance: () => 3 }));
    await expect(connected.stub.balance()).rejects.toThrow('the function given to testConnection() must return');
  });

  test.each([
    ['cannot be sent', () => new Account({ balance: 0 }), /the result of make\(\) cannot be stored/],
    ['is too large', () => new Uint8Array(1_048_577), /the result of make\(\) is larger than maxResultBytes/],
    ['is a promise', () => Promise.resolve(1), /make\(\) is declared to be exactlyOnce, so that it must not return a/],
  ])('refuses a result of an exactly-once method that %s, as an object does', async (_what, make, message) => {
    class Maker extends RpcTarget {
      static readonly rpc = { make: { exactlyOnce: true } };
      make(): unknown {
        return make();
      }
    }
    using connected = testConnection(() => new Maker(), { onError() {} });
    await expect(connected.stub.make()).rejects.toThrow(message);
  });

  test('has recorded its frames, and shows them as text', async () => {
    using connected = account();
    await Promise.all([connected.stub.deposit(5), connected.stub.balance()]);
    expect(connected.frames.map(({ direction }) => direction)).toEqual(['up', 'down']);
    expect(connected.transcript()).toBe('up [1,["deposit",[5]],["balance",[]]]\ndown [-1,5,5]');
  });

  test('shows the bytes of a frame behind its text', async () => {
    class Sized extends RpcTarget {
      size(bytes: Uint8Array): number {
        return bytes.length;
      }
    }
    using connected = testConnection(() => new Sized());
    expect(await connected.stub.size(new Uint8Array([1, 255]))).toBe(2);
    expect(connected.transcript()).toBe('up [1,["size",{"$":[{"$Uint8Array":[{"$bytes":2}]}]}]] + 01 ff\ndown [-1,2]');
  });

  test('goes on after it was cut, with the same target', async () => {
    using connected = account();
    await connected.stub.deposit(5);
    const { target } = connected;
    connected.cut();
    expect(connection(connected.stub).state).toBe('reconnecting');
    expect(await connected.stub.balance()).toBe(5);
    expect(connected.target).toBe(target);
    expect(connection(connected.stub).statistics.reconnects).toBe(1);
    expect(connected.frames.map((frame) => frame.connection)).toEqual([1, 1, 2, 2]);
  });

  test('goes on after a restart, with another target', async () => {
    using connected = account();
    await connected.stub.deposit(5);
    const { target } = connected;
    connected.restart();
    expect(await connected.stub.balance()).toBe(5);
    expect(connected.target).toBeInstanceOf(Account);
    expect(connected.target).not.toBe(target);
  });

  test('is closed for good by disposing it', async () => {
    const connected = account();
    await connected.stub.balance();
    connected[Symbol.dispose]();
    expect(connection(connected.stub).state).toBe('closed');
  });

  test('keeps the options that clients and servers have', async () => {
    const seen: string[] = [];
    using connected = testConnection(() => new Account({ balance: 0 }), {
      onStateChange: (state) => void seen.push(state),
      onRefused: (code) => void seen.push(code),
      reconnect: false,
    });
    await expect((connected.stub as never as { nothing(): Promise<void> }).nothing()).rejects.toThrow();
    connected.cut();
    await until(() => seen.length > 3);
    expect(seen).toEqual(['connecting', 'open', 'METHOD_NOT_FOUND', 'idle']);
  });
});

describe('a connection that is lost in the middle of a frame', () => {
  test.each([
    ['up', 0],
    ['down', 5],
  ] as const)('%s leaves the outcome unknown, whether it ran or not', async (direction, balance) => {
    using connected = account();
    await connected.stub.balance();
    connected.cutDuring(direction);
    await expect(connected.stub.add(5)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(await connected.stub.balance()).toBe(balance);
  });

  test.each(['up', 'down'] as const)('%s has reads run again, and exactly-once methods run once', async (direction) => {
    using connected = account();
    await connected.stub.balance();
    connected.cutDuring(direction);
    expect(await Promise.all([connected.stub.balance(), connected.stub.deposit(5)])).toEqual([
      // What only reads is run anew, and then sees more than before.
      direction === 'up' ? 0 : 5,
      5,
    ]);
    connected.cutDuring(direction);
    expect(await connected.stub.deposit(2)).toBe(7);
    connected.restart();
    expect(await connected.stub.balance()).toBe(7);
  });

  test('loses one frame, and no later one', async () => {
    using connected = account();
    await connected.stub.balance();
    connected.cutDuring('up');
    await connected.stub.balance();
    await connected.stub.balance();
    expect(connection(connected.stub).statistics.reconnects).toBe(1);
  });
});

describe('frames that are held back', () => {
  test('go when they are let go, in order', async () => {
    using connected = account();
    await connected.stub.balance();
    const held = connected.hold('up');
    const calls = [connected.stub.deposit(1)];
    await held.caught();
    calls.push(connected.stub.deposit(2));
    await held.caught(2);
    expect(held.frames.map(({ direction }) => direction)).toEqual(['up', 'up']);
    held.release(1);
    expect(await calls[0]).toBe(1);
    expect(held.frames.length).toBe(1);
    held.release();
    expect(await calls[1]).toBe(3);
    expect(await connected.stub.balance()).toBe(3);
  });

  test('are held back by a later hold too, when an earlier one lets them go', async () => {
    using connected = account();
    await connected.stub.balance();
    const first = connected.hold('up');
    const second = connected.hold();
    const called = [connected.stub.deposit(1)];
    await first.caught(1);
    called.push(connected.stub.deposit(2));
    await first.caught(2);
    first.release(1);
    expect([first.frames.length, second.frames.length]).toEqual([1, 1]);
    second.release(1);
    await second.caught(1);
    expect(second.frames[0].direction).toBe('down');
    first.release();
    expect(second.frames.map(({ direction }) => direction)).toEqual(['down', 'up']);
    second.release();
    expect(await Promise.all(called)).toEqual([1, 3]);
  });

  test('on their way down leave the server ahead of the client', async () => {
    using connected = account();
    await connected.stub.balance();
    let settled = 0;
    const held = connected.hold('down');
    const call = connected.stub.deposit(1).then(() => settled++);
    await held.caught();
    expect([connected.target?.balance(), settled]).toEqual([1, 0]);
    held.release();
    await call;
    expect(settled).toBe(1);
  });

  test('are lost with their connection', async () => {
    using connected = account();
    await connected.stub.balance();
    const held = connected.hold();
    const call = expect(connected.stub.add(1)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await held.caught();
    connected.cut();
    held.release();
    await call;
    expect(await connected.stub.balance()).toBe(0);
  });

  test('are let go where the test is over', async () => {
    using connected = account();
    const call = connected.stub.balance();
    {
      using held = connected.hold();
      await held.caught();
    }
    expect(await call).toBe(0);
  });

  test('include the signs of life: who is held back for long is given up', async () => {
    const states: string[] = [];
    using connected = testConnection(() => new Account({ balance: 0 }), {
      heartbeat: { intervalMs: 10, timeoutMs: 10 },
      onStateChange: (state) => void states.push(state),
    });
    await connected.stub.balance();
    using _held = connected.hold('down');
    await until(() => states.includes('reconnecting'));
  });
});

test('a network stands before transports of any kind, and several clients', async () => {
  const network = new TestNetwork();
  const lost: number[] = [];
  const open: OpenTransport = (events) => {
    queueMicrotask(() => events.opened());
    return { send: () => {}, close: (code) => void lost.push(code) };
  };
  const stubs = ['one', 'two'].map((name) => connectOver<Account>(open, name, { wrapTransport: network.wrap }));
  const calls = stubs.map((stub) => expect(stub.balance()).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' }));
  await until(() => network.frames.length === 2);
  network.cut();
  await Promise.all(calls);
  expect(lost).toEqual([4000, 4000]);
});

describe('a target that cannot be made', () => {
  class Mistaken extends RpcTarget {
    static readonly rpc = { methud: { readOnly: true } };
    method(): void {}
  }

  test.each([
    ['by a mistake in its class', () => new Mistaken(), 'target() failed: static rpc of Mistaken speaks of methud'],
    [
      'by what it throws',
      () => {
        throw new RangeError('there is no such account');
      },
      'target() failed: there is no such account',
    ],
  ])('is said at once, and is not made again: %s', async (_why, make: () => Mistaken, message) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    using connected = testConnection<Mistaken>(make);
    const { stub } = connected;
    for (const call of [stub.method(), stub.method()]) {
      await expect(call).rejects.toMatchObject({ code: 'INTERNAL', message: expect.stringContaining(message) });
    }
    expect([connection(stub).state, logged.mock.calls.length]).toEqual(['closed', 1]);
    logged.mockRestore();
  });

  test('is tried again where that is what it says', async () => {
    let attempts = 0;
    using connected = testConnection(() => {
      if (++attempts < 3) throw new RpcError('OVERLOADED', 'in a moment');
      return new Account({ balance: 7 });
    });
    expect(await connected.stub.balance()).toBe(7);
    expect(attempts).toBe(3);
  });
});
