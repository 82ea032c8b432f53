import { connection, connectOver, type RpcError, withOptions } from '@lumenize/rpc';
import { RpcTarget, testConnection } from '@lumenize/rpc/testing';
import { describe, expect, test, vi } from 'vitest';
import { valuesOf } from './support/frames.ts';
import { codeOf, type PingApi, pinTime, result, settle } from './support/probed-client.ts';
import { probedTransport } from './support/probed-transport.ts';

/** How often each method ran, whatever became of its caller. */
class Api extends RpcTarget {
  static readonly rpc = { poison: { idempotent: true }, poisonOnce: { exactlyOnce: true }, read: { readOnly: true } };
  readonly #cut: () => void;
  readonly ran: Record<string, number>;
  constructor(cut: () => void, ran: Record<string, number>) {
    super();
    this.#cut = cut;
    this.ran = ran;
  }
  poison() {
    this.#count('poison');
    this.#cut();
    return new Promise<never>(() => {});
  }
  poisonOnce(): never {
    this.#count('poisonOnce');
    this.#cut();
    throw new Error('and nothing is stored');
  }
  read(n = 0) {
    this.#count('read');
    return n;
  }
  async slow(n: number) {
    this.#count('slow');
    await new Promise((resolve) => setTimeout(resolve, 1));
    return n;
  }
  #count(name: string) {
    this.ran[name] = (this.ran[name] ?? 0) + 1;
  }
}

function setup() {
  const ran: Record<string, number> = {};
  const network = testConnection(() => new Api(() => network.cut(), ran), { maxWaitMs: 60_000, onError: () => {} });
  return { network, stub: network.stub, ran };
}

describe('a call that ends its connection each time', () => {
  test.each(['poison', 'poisonOnce'] as const)(
    'is sent five times, and then its outcome is unknown: %s',
    async (name) => {
      const { network, stub, ran } = setup();
      using _ = network;
      await expect(stub[name]()).rejects.toMatchObject({
        code: 'OUTCOME_UNKNOWN',
        message: expect.stringMatching(/^poison(Once)?\(\) may have run, .*again and again: .*cut by the test/),
      });
      expect([ran[name], connection(stub).statistics.reconnects]).toEqual([5, 4]);
      expect(await stub.read(1)).toBe(1);
    },
  );

  test('does not take those with it that were called in the same turn, nor those after it', async () => {
    const { network, stub, ran } = setup();
    using _ = network;
    const before = Array.from({ length: 20 }, (_, n) => stub.read(n));
    const poisoned = codeOf(stub.poison());
    const after = Array.from({ length: 20 }, (_, n) => stub.read(n));
    await new Promise((resolve) => setTimeout(resolve, 1));
    const later = stub.read(7);
    expect(await Promise.all([...before, ...after, later])).toEqual([
      ...Array.from({ length: 20 }, (_, n) => n),
      ...Array.from({ length: 20 }, (_, n) => n),
      7,
    ]);
    // Nothing is in the way of calls that are made while it is still tried.
    expect(await stub.slow(8)).toBe(8);
    expect(await poisoned).toBe('OUTCOME_UNKNOWN');
    expect([ran.poison, ran.slow]).toEqual([5, 1]);
  });

  test('does so as often where there are two of them, each of which is counted for itself', async () => {
    const { network, stub, ran } = setup();
    using _ = network;
    await Promise.all([stub.read(), codeOf(stub.poison()), codeOf(stub.poison())]);
    expect(ran).toEqual({ read: expect.any(Number), poison: expect.any(Number) });
    expect(ran.poison).toBeLessThanOrEqual(10);
  });
});

describe('over a network that cuts what takes long', () => {
  pinTime();

  test('a call is given up when it has been sent again for as long as calls wait', async () => {
    const { open, attempts } = probedTransport();
    const stub = connectOver<PingApi>(open, 'a test', { maxWaitMs: 10_000, heartbeat: false });
    const call = stub.ping().then(String, (error: RpcError) => `${error.code} ${error.message}`);
    await settle();
    attempts[0].opened();
    let isOver = false;
    call.then(() => {
      isOver = true;
    });
    for (let connections = 0; connections < 20 && !isOver; connections++) {
      await vi.advanceTimersByTimeAsync(6000);
      attempts.at(-1)!.closed(1011, 'INTERNAL: in its own words');
      await vi.advanceTimersByTimeAsync(250);
      attempts.at(-1)!.opened();
      attempts.at(-1)!.alive();
    }
    expect(await call).toMatch(/^OUTCOME_UNKNOWN ping\(\) may have run, .*: in its own words$/);
    expect(attempts.map(({ sent }) => sent.length)).toEqual([1, 1, 1, 0]);
  });

  test('a frame that has been lost twice goes behind others, its calls each for itself', async () => {
    const { open, attempts } = probedTransport();
    const stub = connectOver<PingApi>(open, 'a test', { maxWaitMs: 60_000, heartbeat: false });
    const [first, second] = [stub.ping('a'), stub.ping('b')];
    await settle();
    attempts[0].opened();
    for (const wait of [250, 500]) {
      attempts.at(-1)!.closed(1006, '');
      await vi.advanceTimersByTimeAsync(wait);
      attempts.at(-1)!.opened();
      attempts.at(-1)!.alive();
    }
    const third = stub.ping('c');
    await settle();
    const { sent, received } = attempts.at(-1)!;
    const sentAgain = () => sent.slice(1).map((frame) => valuesOf(frame)[2]);
    expect([valuesOf(sent[0])[0], sentAgain()]).toEqual([3, [[0]]]);
    await vi.advanceTimersByTimeAsync(249);
    expect(sentAgain()).toEqual([[0]]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sentAgain()).toEqual([[0], [1]]);
    for (const [id, text] of [
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ] as const) {
      received(result(id, text));
    }
    expect(await Promise.all([first, second, third])).toEqual(['a', 'b', 'c']);
  });

  test('of a frame that has been lost twice, calls go one after the other as fast as they are answered', async () => {
    const { open, attempts } = probedTransport();
    const stub = connectOver<PingApi>(open, 'a test', { maxWaitMs: 60_000, heartbeat: false });
    const calls = Array.from({ length: 10 }, (_, n) => stub.ping(`${n}`));
    await settle();
    attempts[0].opened();
    for (const wait of [250, 500]) {
      attempts.at(-1)!.closed(1006, '');
      await vi.advanceTimersByTimeAsync(wait);
      attempts.at(-1)!.opened();
      attempts.at(-1)!.alive();
    }
    const { sent, received } = attempts.at(-1)!;
    for (let n = 0; n < 10; n++) {
      await settle();
      expect(sent).toHaveLength(n + 1);
      received(result(n + 1, `${n}`));
    }
    expect(await Promise.all(calls)).toHaveLength(10);
  });

  test('of a frame that has been lost twice, no call goes while another is in flight because one was given up', async () => {
    const { open, attempts } = probedTransport();
    const stub = connectOver<PingApi>(open, 'a test', { maxWaitMs: 60_000, heartbeat: false });
    const caller = new AbortController();
    for (const each of [stub, stub, withOptions(stub, { signal: caller.signal })]) each.ping('').catch(() => {});
    await settle();
    attempts[0].opened();
    for (const wait of [250, 500]) {
      attempts.at(-1)!.closed(1006, '');
      await vi.advanceTimersByTimeAsync(wait);
      if (wait === 500) caller.abort();
      attempts.at(-1)!.opened();
      attempts.at(-1)!.alive();
    }
    await vi.advanceTimersByTimeAsync(100);
    expect(attempts.at(-1)!.sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(150);
    expect(attempts.at(-1)!.sent).toHaveLength(2);
  });
});
