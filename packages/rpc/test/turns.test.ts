import { callContext, RpcTarget } from '@lumenize/rpc/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { serve, until } from './support/serve.ts';

class Api extends RpcTarget {
  readonly ran: unknown[] = [];
  readonly gates: PromiseWithResolvers<void>[] = [];
  disposed = 0;

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

  get seen(): number {
    return this.ran.push('seen');
  }

  caller(): void {
    this.ran.push(callContext().caller?.identity);
  }

  list(length: number): number[] {
    return Array.from({ length }, (_, n) => n);
  }

  room(): Room {
    return new Room(this);
  }

  async later(): Promise<Room> {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return new Room(this);
  }
}

class Room extends RpcTarget {
  readonly #api: Api;

  constructor(api: Api) {
    super();
    this.#api = api;
  }

  mark(name: unknown): unknown {
    return this.#api.mark(name);
  }

  [Symbol.dispose](): void {
    this.#api.disposed++;
  }
}

function served(options = {}) {
  const api = new Api();
  return { api, ran: api.ran, ...serve(api, { identity: 'Ada', ...options }) };
}

beforeEach(() => void vi.spyOn(globalThis, 'setTimeout'));
afterEach(() => void vi.restoreAllMocks());

describe('a frame', () => {
  test('of synchronous methods is one run, for which no event and no job is waited', () => {
    const { send, ran, sent } = served();
    const names = Array.from({ length: 10_000 }, (_, n) => n);
    send([1, ...names.map((name) => ['mark', [name]])]);
    expect(ran).toEqual(names);
    expect(sent).toEqual([JSON.stringify([-1, ...names])]);
    expect(vi.mocked(setTimeout)).not.toHaveBeenCalled();
  });

  test('has what is asynchronous, and waits for nothing, done before the next begins, and answers it all together', async () => {
    const { send, ran, sent } = served();
    send([1, ['soon', ['a']], ['soon', ['b']], ['mark', [2]]]);
    await until(() => sent.length > 0);
    expect(ran).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 2]);
    expect(sent).toEqual(['[-1,"a","b",2]']);
  });

  test('goes on in another event where a call waits, and sends first what is ready', async () => {
    const { send, ran, sent, api } = served();
    send([1, ['mark', [1]], ['wait', ['a']], ['mark', [2]], ['seen'], ['wait', ['b']]]);
    for (let job = 0; job < 200; job++) await undefined;
    expect([ran, sent]).toEqual([[1, 'a'], ['[-1,1]']]);
    await until(() => ran.length === 5);
    expect(ran).toEqual([1, 'a', 2, 'seen', 'b']);
    for (const gate of api.gates) gate.resolve();
    await until(() => sent.join('').includes('"b"'));
    expect(sent.slice(1).join('')).toBe('[-3,2,4][-2,"a",{"$":5},"b"]');
  });

  test('of one call that waits has no timer', async () => {
    const { send, api, session } = served();
    send([1, ['wait', ['a']]]);
    api.gates[0].resolve();
    await session.idle;
    expect(vi.mocked(setTimeout)).not.toHaveBeenCalled();
  });

  test('comes after what is left of the one before, with its signals', async () => {
    const { send, ran, answers, api } = served();
    send([1, ['room', []]]);
    send([2, ['wait', ['a']], [1, 'mark', [1]]]);
    send({ release: [1, 1] });
    send([4, ['mark', [2]]]);
    expect([ran, api.disposed]).toEqual([['a'], 0]);
    await until(() => ran.length === 3 && api.disposed === 1);
    expect(ran).toEqual(['a', 1, 2]);
    expect(answers().get(3)).toBe(1);
  });

  test('takes turns in its chains: what a late receiver runs begins in an event of its own', async () => {
    const { send, ran } = served();
    send([1, ['later', [], 'mark', ['late']], ['wait', ['a']], ['wait', ['b']]]);
    await until(() => ran.length === 3);
    expect(new Set(ran)).toEqual(new Set(['late', 'a', 'b']));
    const events = vi.mocked(setTimeout).mock.calls.length;
    expect(events).toBeGreaterThan(1);
  });

  test('takes turns in callbacks of map', async () => {
    const { send, ran, api } = served();
    const callback = [
      JSON.stringify([[1, [['c', 1], 'wait', ['x']]], { $: [{ $result: [0] }], of: [-1] }]),
      { $yours: [0] },
    ];
    send([1, ['list', [3], 'map', { $: [{ $callback: callback }] }]]);
    expect(ran).toEqual(['x']);
    await until(() => ran.length === 3);
    for (const gate of api.gates) gate.resolve();
  });

  test('that is sent again does so, too', async () => {
    const { send, ran } = served();
    send({ again: [1, ['seen'], ['seen'], 0, ['seen']], open: [1, 2, 4], ms: 5 });
    expect(ran).toEqual(['seen', 'seen', 'seen']);
  });
});

describe('while the rest of a frame waits for its turn', () => {
  test('calls that are given up do not run', async () => {
    const { send, ran, session, api } = served();
    send([1, ['wait', ['a']], ['mark', [1]], ['mark', [2]]]);
    send({ cancel: [2, 'CANCELLED'] });
    await until(() => ran.length === 2);
    expect(ran).toEqual(['a', 2]);
    api.gates[0].resolve();
    await session.idle;
  });

  test('the end of the connection ends them, and nothing is left going on', async () => {
    const { send, ran, session, settings } = served();
    send([1, ['wait', ['a']], ['mark', [1]]]);
    session.closed();
    expect(session.idle).toBeUndefined();
    expect(settings.shared.calls).toBe(0);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
    expect(ran).toEqual(['a']);
  });

  test('they do not count as running', async () => {
    const { send, ran, answers, api } = served({ limits: { maxCallsInFlight: 2 } });
    send([1, ...Array.from({ length: 50 }, (_, n) => ['soon', [n]])]);
    await until(() => ran.length === 100);
    send([51, ['wait', ['a']], ['wait', ['b']], ['wait', ['c']], ['mark', [1]]]);
    await until(() => api.gates.length === 2 && answers().has(53));
    expect([answers().get(53), answers().get(54)]).toEqual(['OVERLOADED', 'OVERLOADED']);
  });

  test('many calls that wait begin in turns that are asked for together', async () => {
    const { send, api } = served();
    send([1, ...Array.from({ length: 500 }, (_, n) => ['wait', [n]])]);
    await until(() => api.gates.length === 500);
    expect(api.ran).toEqual(Array.from({ length: 500 }, (_, n) => n));
  });
});
