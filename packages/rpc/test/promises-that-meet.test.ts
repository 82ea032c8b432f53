import { connectInMemory } from '@lumenize/rpc/memory';
import { expiring, RpcTarget, type Stub, serveRpc } from '@lumenize/rpc/server';
import { encode } from '@lumenize/structured-clone';
import { fromMessage, toMessage } from '@lumenize/structured-clone/messages';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { newCaller } from '../src/server/callers.ts';
import { Session } from '../src/server/session.ts';
import { serverSettings } from '../src/server/settings.ts';
import { StoredResults } from '../src/server/stored-results.ts';
import { BATCH_TYPE, readBatch, writeBatch } from '../src/transport/batch.ts';
import { serve, until } from './support/serve.ts';

class Room extends RpcTarget {
  readonly #size: number;
  constructor(size: number) {
    super();
    this.#size = size;
  }
  size(): number {
    return this.#size;
  }
}

class Step extends RpcTarget {
  readonly #api: Api;
  constructor(api: Api) {
    super();
    this.#api = api;
  }
  async first(): Promise<Step> {
    await this.#api.gate.promise;
    return this;
  }
  write(): number {
    return this.#api.ran.push('write');
  }
  [Symbol.dispose](): void {
    this.#api.disposed++;
  }
}

class Api extends RpcTarget {
  static readonly rpc = { room: { restorable: true }, once: { exactlyOnce: true } };
  readonly ran: unknown[] = [];
  readonly gate = Promise.withResolvers<void>();
  disposed = 0;
  listener: Stub<(event: string) => void> | undefined;

  room(of: Uint8Array | Map<string, number>): Room {
    return new Room(of instanceof Map ? of.size : of.length);
  }
  once(value: unknown): unknown {
    this.ran.push('once');
    return value;
  }
  two(): number {
    return 2;
  }
  count(): number {
    return this.ran.push('count');
  }
  begun = () => {};
  async slow(): Promise<string> {
    this.begun();
    await this.gate.promise;
    return 'slow';
  }
  steps(): Step[] {
    return [new Step(this)];
  }
  step(): Step {
    return new Step(this);
  }
  async later(): Promise<Step> {
    await this.gate.promise;
    return new Step(this);
  }
  text(length: number): string {
    return 'x'.repeat(length);
  }
  listen(listener: Stub<(event: string) => void>): void {
    this.listener = listener;
  }
}

/** Waits for more events than anything here takes. */
async function afterAll(): Promise<void> {
  for (let event = 0; event < 20; event++) await new Promise((resolve) => setTimeout(resolve));
}

/** Moves the clock, which stands still from then on. */
function moveTo(time: number): void {
  vi.spyOn(Date, 'now').mockReturnValue(time);
}

afterEach(() => void vi.restoreAllMocks());

describe('a restorable method that takes bytes', () => {
  test('gives a stub that can be used', async () => {
    using api = connectInMemory<Api>(new Api());
    using room = await api.room(new Uint8Array(2));
    const [, second] = await Promise.all([api.room(new Uint8Array(2)), api.room(new Uint8Array(3))]);
    expect([await room.size(), await second.size()]).toEqual([2, 3]);
  });

  test('gives a place where it takes a value of another kind', () => {
    const { sent, send } = serve(new Api());
    send(`[1,["room",${encode([new Map([['a', 1]])])}]]`);
    expect(sent).toEqual(['[-1,{"$":{"$place":[0]}}]']);
  });
});

describe('an exactly-once method', () => {
  function served() {
    const api = new Api();
    const sent: unknown[] = [];
    const stored = () => ({
      run: (_call: unknown, _client: unknown, _declared: unknown, method: () => unknown) => method(),
    });
    const transport = { send: (message: unknown) => void sent.push(message), close: () => {} };
    const session = new Session(serverSettings({}), api, transport, { caller: newCaller(undefined), stored });
    return { api, session, sent };
  }

  test('takes no results of other calls', () => {
    const { session, sent } = served();
    session.receive('[1,["two",[]],["once",{"$":[{"$result":[0]}],"of":[-1]}]]');
    expect(`${sent}`).toContain('with values');
  });

  test('takes bytes, wherever they are in the frame', async () => {
    const { api, session } = served();
    const args = fromMessage(encode([new Uint8Array(1)]) as Uint8Array).text;
    const text = `[1,["once",${args}],["once",${args.slice(0, -1)},"at":1}]]`;
    session.receive(toMessage(text, [new Uint8Array(2)]));
    expect(api.ran).toEqual(['once', 'once']);
  });

  test('runs not on a receiver that is found with a result of the frame', () => {
    const { api, session, sent } = served();
    session.receive('[1,["two",[]],["room",{"$":[{"$result":[0]}],"of":[-1]},"once",[1]]]');
    expect([api.ran, `${sent}`]).toEqual([[], expect.stringContaining('METHOD_NOT_FOUND')]);
  });
});

describe('an identity that expires', () => {
  test('does not let run what waits for its turn', async () => {
    const api = new Api();
    const expiresAt = Date.now() + 60_000;
    const { send, answers } = serve(api, { identity: expiring('Ada', expiresAt) });
    send([1, ['slow', []], ['count', []]]);
    moveTo(expiresAt);
    api.gate.resolve();
    await until(() => answers().size === 2);
    expect([[...answers()], api.ran]).toEqual([
      [
        [1, 'slow'],
        [2, 'EXPIRED'],
      ],
      [],
    ]);
  });

  test('ends the connection of a client that listens and sends nothing', async () => {
    const api = new Api();
    const expiresAt = Date.now() + 60_000;
    const { send, closes, sent } = serve(api, { identity: expiring('Ada', expiresAt) });
    send([1, ['listen', { $: [{ $function: [1] }] }]]);
    moveTo(expiresAt);
    const told = api.listener!('secret');
    await expect(told).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
    expect(closes).toMatchObject([{ code: 4401 }]);
    expect(`${sent}`).not.toContain('secret');
  });

  test('in the middle of a batch refuses the rest of its calls', async () => {
    const api = new Api();
    const body = writeBatch(['[1,["slow",[]]]', '[2,["count",[]]]']) as string;
    const request = new Request('http://worker.test/', {
      method: 'POST',
      headers: { 'Content-Type': BATCH_TYPE },
      body,
    });
    const expiresAt = Date.now() + 60_000;
    api.begun = () => {
      moveTo(expiresAt);
      api.gate.resolve();
    };
    const response = await serveRpc(request as never, api, { identity: expiring('Ada', expiresAt) });
    const answers = [...readBatch(new Uint8Array(await response.arrayBuffer()))].join('\n');
    expect(answers).toContain('["EXPIRED"');
    expect(api.ran).toEqual([]);
  });

  test('may do so never', () => {
    expect(expiring('Ada', Number.POSITIVE_INFINITY).expiresAt).toBeUndefined();
  });
});

describe('what a caller has given up', () => {
  test('does not go on in callbacks of map', async () => {
    const api = new Api();
    const { send } = serve(api);
    const callback = JSON.stringify([[1, ['first', [], 'write', []]], { $: [{ $result: [0] }], of: [-1] }]);
    send([1, ['steps', [], 'map', { $: [{ $callback: [callback] }] }]]);
    send({ cancel: [1, 'CANCELLED'] });
    api.gate.resolve();
    await afterAll();
    expect(api.ran).toEqual([]);
  });

  test('by its end has its steps disposed of, also those that come later', async () => {
    const api = new Api();
    const { send, session } = serve(api);
    send([1, ['later', [], 'write', []]]);
    session.closed();
    api.gate.resolve();
    await afterAll();
    expect([api.disposed, api.ran]).toEqual([1, []]);
  });
});

test('an entry that is sent again, and goes on from a chain that was answered, may have run', () => {
  const { send, answers } = serve(new Api());
  send({ again: [7, ['step', [], 'write', []], [[7, 0], 'write', []]], open: [8], ms: 5 });
  expect(answers().get(8)).toBe('OUTCOME_UNKNOWN');
});

test('a rate without bounds lets signals through', () => {
  for (const burst of [10, Number.POSITIVE_INFINITY]) {
    const connection = { operationsPerSecond: Number.POSITIVE_INFINITY, burst };
    const { send, closes } = serve(new Api(), { rateLimits: { connection } });
    for (let id = 1; id < 5; id++) {
      send([id, ['count', []]]);
      send({ cancel: [99, 'CANCELLED'] });
    }
    expect(closes).toEqual([]);
  }
});

describe('a client that reads nothing and goes on to send', () => {
  test.each<[string, (id: number) => unknown[]]>([
    ['calls that it gives up', (id) => [[id, ['count', ['x'.repeat(1000)]]], { cancel: [id, 'CANCELLED'] }]],
    ['signals', () => [{ release: [99, 1] }]],
  ])('%s loses its connection', (_what, messages) => {
    const { send, closes } = serve(new Api(), { limits: { maxBytesInFlight: 100_000 } });
    send([1, ['text', [60_000]]]);
    send([2, ['count', []]]);
    for (let id = 3; id < 1000; id++) for (const message of messages(id)) send(message);
    expect(closes).toMatchObject([{ code: 1013 }]);
  });
});

test('limits on stored results that are undefined have their defaults', () => {
  const options = { retentionMs: undefined, maxResults: undefined } as never;
  const { options: resolved } = new StoredResults({} as never, 0, options) as never as { options: object };
  expect(resolved).toMatchObject({ retentionMs: 86_400_000, maxResults: 100_000 });
});
