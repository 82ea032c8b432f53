import { connectInMemory } from '@lumenize/rpc/memory';
import { callContext, RpcTarget } from '@lumenize/rpc/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { writeResent } from '../src/protocol/resent.ts';
import { CANCEL, RELEASE } from '../src/protocol/signal.ts';
import { newCaller } from '../src/server/access/caller.ts';
import { createServerContext } from '../src/server/server-context.ts';
import { ServerSession } from '../src/server/session.ts';
import { sequence } from './support/frames.ts';
import { recordedTransport } from './support/recorded-transport.ts';
import { until } from './support/until.ts';

class Api extends RpcTarget {
  readonly ran: unknown[] = [];
  readonly gates: PromiseWithResolvers<void>[] = [];

  mark(name: unknown): unknown {
    this.ran.push(name);
    return name;
  }

  /** Waits for nothing that takes an event. */
  async soon(name: string): Promise<string> {
    this.ran.push(`${name} begins`);
    for (let job = 0; job < 10; job++) await undefined;
    this.ran.push(`${name} ends`);
    return name;
  }

  async wait(name: string): Promise<string> {
    this.ran.push(name);
    const gate = Promise.withResolvers<void>();
    this.gates.push(gate);
    await gate.promise;
    return name;
  }

  caller(): void {
    this.ran.push(callContext().caller?.identity);
  }

  list(length: number): number[] {
    return Array.from({ length }, (_, n) => n);
  }

  room(): Room {
    return new Room();
  }
}

class Room extends RpcTarget {
  name(): string {
    return 'a room';
  }
}

const call = (name: string, ...args: unknown[]) => [0, name, args];

function serve(options: Parameters<typeof createServerContext>[0] = {}) {
  const api = new Api();
  const { entries, closes, transport } = recordedTransport();
  const session = new ServerSession(api, transport, createServerContext(options), { caller: newCaller('Ada') });
  const send = (...values: unknown[]) => session.receive(sequence(...values));
  return { api, ran: api.ran, entries, closes, session, send };
}

beforeEach(() => void vi.spyOn(globalThis, 'setTimeout'));
afterEach(() => void vi.restoreAllMocks());

describe('a frame', () => {
  test('of synchronous methods is one run, for which no event and no job is waited', () => {
    const jobs = vi.spyOn(globalThis, 'queueMicrotask');
    const { send, ran, entries } = serve();
    const names = Array.from({ length: 10_000 }, (_, n) => n);
    send(1, ...names.map((name) => call('mark', name)));
    expect(ran).toEqual(names);
    expect(entries.filter(Array.isArray)).toHaveLength(names.length);
    expect(vi.mocked(setTimeout)).not.toHaveBeenCalled();
    expect(jobs).not.toHaveBeenCalled();
  });

  test('has what is asynchronous, and waits for nothing, done before the next begins, and answers it all together', async () => {
    const { send, ran, entries } = serve();
    send(1, call('mark', 1), call('soon', 'a'), call('soon', 'b'), call('mark', 2));
    await until(() => entries.length > 0);
    expect(ran).toEqual([1, 'a begins', 'a ends', 'b begins', 'b ends', 2]);
    // An id for each frame, and then its results.
    expect(entries).toEqual([1, [1], ['a'], ['b'], [2]]);
    expect(vi.mocked(setTimeout)).not.toHaveBeenCalled();
  });

  test('goes on in another event where a call waits, and sends first what is ready', async () => {
    const { send, ran, entries, api } = serve();
    send(1, call('mark', 1), call('wait', 'a'), call('mark', 2), call('wait', 'b'));
    for (let job = 0; job < 100; job++) await undefined;
    expect([ran, entries]).toEqual([
      [1, 'a'],
      [1, [1]],
    ]);
    await until(() => ran.length === 4);
    expect(ran).toEqual([1, 'a', 2, 'b']);
    expect(entries).toEqual([1, [1], 3, [2]]);
    for (const gate of api.gates) gate.resolve();
    await until(() => entries.length > 4);
    expect(entries.slice(4)).toEqual([2, ['a'], 1, ['b']]);
  });

  test('of one call that waits has no timer', async () => {
    const { send, api, session } = serve();
    send(1, call('wait', 'a'));
    api.gates[0].resolve();
    await session.idle;
    expect(vi.mocked(setTimeout)).not.toHaveBeenCalled();
  });

  test('comes after what is left of the one before, with its signals', async () => {
    const { send, ran, entries } = serve();
    send(1, call('room'));
    send(2, call('wait', 'a'), call('mark', 1), [-16, 'name', []]);
    send(5, call('mark', 2), [RELEASE, 0, 1]);
    expect(ran).toEqual(['a']);
    await until(() => ran.length === 3);
    expect(ran).toEqual(['a', 1, 2]);
    expect(entries).toContainEqual(['a room']);
  });

  test('that is sent again does so, too', async () => {
    const { session, ran } = serve();
    session.receive(
      writeResent(undefined, [0, 1, 2], sequence(1, call('wait', 'a'), call('mark', 1), call('wait', 'b'))),
    );
    expect(ran).toEqual(['a']);
    await until(() => ran.length === 3);
    expect(ran).toEqual(['a', 1, 'b']);
  });
});

describe('while the rest of a frame waits for its turn', () => {
  test('calls that are given up do not run', async () => {
    const { send, ran, session, api } = serve();
    send(1, call('wait', 'a'), call('mark', 1), call('mark', 2));
    send(4, [CANCEL, 2, 'CANCELLED']);
    await until(() => ran.length === 2);
    expect(ran).toEqual(['a', 2]);
    api.gates[0].resolve();
    await session.idle;
  });

  test('the end of the connection ends them, and nothing is left going on', async () => {
    const { send, ran, session, api } = serve();
    send(1, call('wait', 'a'), call('mark', 1));
    send(3, call('mark', 2));
    session.closed();
    api.gates[0].resolve();
    await session.idle;
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(ran).toEqual(['a']);
  });

  test('so does its end by the server', async () => {
    const { send, ran, session, api, closes } = serve();
    send(1, call('wait', 'a'), call('mark', 1));
    session.receive(new Uint8Array([255]));
    expect(closes).toHaveLength(1);
    api.gates[0].resolve();
    await session.idle;
    expect(ran).toEqual(['a']);
  });

  test('their time runs', async () => {
    const { send, ran, session, api } = serve();
    const now = Date.now();
    send(1, call('wait', 'a'), [0, 'mark', [1], 1000], call('mark', 2));
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now + 2000);
    await until(() => ran.length === 2);
    expect(ran).toEqual(['a', 2]);
    clock.mockRestore();
    api.gates[0].resolve();
    await session.idle;
  });

  test('they stay calls of whoever called, whoever the caller is by then', async () => {
    const { send, ran, session } = serve();
    send(1, call('wait', 'a'), call('caller'));
    session.renew(newCaller('Grace'));
    send(3, call('caller'));
    await until(() => ran.length === 3);
    expect(ran).toEqual(['a', 'Ada', 'Grace']);
  });

  test('it counts against maxBytesInFlight', () => {
    const { send, entries } = serve({ limits: { maxBytesInFlight: 10_000 } });
    send(1, call('wait', 'a'), call('mark', new Uint8Array(9_000)));
    send(3, call('mark', new Uint8Array(9_000)));
    expect(entries).toEqual([3, [2, expect.arrayContaining(['OVERLOADED'])]]);
  });
});

test('a call that is given up in the frame that makes it does not run', () => {
  const { send, ran } = serve();
  send(1, call('mark', 1), call('mark', 2), [CANCEL, 1, 'CANCELLED']);
  expect(ran).toEqual([2]);
});

describe('others have their turn', () => {
  /** Sends a frame on a connection of its own when the event loop comes by, and returns whether that was answered. */
  function other() {
    const { send, entries } = serve();
    setTimeout(() => send(1, call('mark', 'other')));
    return () => entries.length > 0;
  }

  test('while a callback goes through a long list, 10,000 operations at a time', async () => {
    using stub = connectInMemory<Api>(new Api());
    await stub.mark('connected');
    const isAnswered = other();
    let wasFirst = false;
    const mapped = stub.list(50_000).map((n) => [n]);
    void mapped.then(() => (wasFirst = !isAnswered()));
    expect(await mapped).toHaveLength(50_000);
    expect(wasFirst).toBe(false);
  });

  test('within a frame of more operations than that, where a server takes one', async () => {
    const { send, ran } = serve({ limits: { maxOperationsPerFrame: 100_000 } });
    const isAnswered = other();
    send(1, ...Array.from({ length: 25_000 }, (_, n) => call('mark', n)));
    expect(ran).toHaveLength(10_000);
    await until(() => ran.length === 25_000);
    expect(isAnswered()).toBe(true);
  });
});
