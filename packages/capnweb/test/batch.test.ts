import { capnWeb } from '@lumenize/capnweb';
import { observeCalls } from '@lumenize/rpc/observe';
import { expiring, RpcTarget, serveRpc } from '@lumenize/rpc/server';
import { expect, test, vi } from 'vitest';

// What holds for a client of Cap'n Web that sends its messages in a batch, and for messages that no client would send.

test('is answered what it asked for before its identity expired, also if it releases something then', async () => {
  const expiresAt = Date.now() + 60_000;
  class Target extends RpcTarget {
    async later(): Promise<string> {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return 'late';
    }
    expire(): void {
      vi.setSystemTime(expiresAt + 1);
    }
  }
  const later = ['push', ['pipeline', 0, ['later'], []]];
  const before = [later, ['pull', 1], ['push', ['pipeline', 0, ['expire'], []]], ['release', 2, 1]];
  const send = (...messages: unknown[]) => {
    vi.useFakeTimers({ toFake: ['Date'], now: expiresAt - 1 });
    return batch(new Target(), [...before, ...messages], {}, expiring('ada', expiresAt));
  };
  try {
    expect(await send()).toBe('["resolve",1,"late"]');
    expect(await send(later)).toMatch(/^\["abort",.*EXPIRED/);
  } finally {
    vi.useRealTimers();
  }
});

test('lets others have their turn between the calls of a large batch', async () => {
  const ran: string[] = [];
  class Target extends RpcTarget {
    run(): void {
      if (ran.length === 0) setTimeout(() => ran.push('others'));
      ran.push('a call');
    }
  }
  const body = '["push",["pipeline",0,["run"],[]]]\n'.repeat(2000);
  const request = new Request('http://worker.test/capnweb', { method: 'POST', body });
  await serveRpc(request as never, new Target() as never, { protocols: [capnWeb()] });
  expect(ran.length).toBe(2001);
  expect(ran.indexOf('others')).toBeLessThan(1000);
});

test('begins a call of a batch in an event of its own where an earlier one waits', async () => {
  const ran: string[] = [];
  class Target extends RpcTarget {
    async run(): Promise<void> {
      ran.push('a call');
      setTimeout(() => ran.push('others'));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  const call = '["push",["pipeline",0,["run"],[]]]\n';
  const request = new Request('http://worker.test/capnweb', { method: 'POST', body: `${call.repeat(4)}["pull",4]` });
  await serveRpc(request as never, new Target() as never, { protocols: [capnWeb()] });
  expect(ran.join()).toBe(Array(4).fill('a call,others').join());
});

test.each([
  ['one after the other', (pairs: unknown[]) => pairs.map((pair) => ['push', pair])],
  ['in a callback of map', (pairs: unknown[]) => [['push', ['remap', 1, [], [], [[[1]], ...pairs]]]]],
])('cannot send values that double without end, %s', async (_how, sending) => {
  class Target extends RpcTarget {
    take(): string {
      return 'taken';
    }
  }
  const pairs = Array.from({ length: 20 }, (_, at) => [
    [
      ['pipeline', at + 1],
      ['pipeline', at + 1],
    ],
  ]);
  const messages = [['push', [['x']]], ...sending(pairs)];
  messages.push(['push', ['pipeline', 0, ['take'], [['pipeline', messages.length]]]], ['pull', messages.length + 1]);
  const answer = await batch(new Target(), messages, { maxMapOperations: 1000 });
  expect(answer).toMatch(/^\["reject",.*maxMapOperations of 1000 exceeded/);
});

test('cannot send values of too many objects, and not by a method that returns what it is given, either', async () => {
  class Target extends RpcTarget {
    echo(value: unknown): unknown {
      return value;
    }
  }
  const limits = { maxObjects: 1000 };
  const echo = (value: unknown) => ['push', ['pipeline', 0, ['echo'], [value]]];
  const many = await batch(new Target(), [echo([Array(1000).fill({})]), ['pull', 1]], limits);
  expect(many).toMatch(/^\["abort",.*maxObjects of 1000 exceeded.*LIMIT_EXCEEDED/);
  const pairs = Array.from({ length: 20 }, (_, at) =>
    echo([
      [
        ['pipeline', at + 1],
        ['pipeline', at + 1],
      ],
    ]),
  );
  const doubled = await batch(new Target(), [echo([['x']]), ...pairs, ['pull', 21]], limits);
  expect(doubled).toMatch(/^\["reject",.*maxObjects of 1000 exceeded/);
  // V8 makes room for a thousand properties in each copy.
  const indexed = (objects: object[]) => batch(new Target(), [echo([objects]), ['pull', 1]], limits);
  expect(await indexed(Array(20).fill({ 1000: 1 }))).toMatch(/^\["reject",.*maxObjects of 1000 exceeded/);
  const years = Array(200).fill({ 2025: 1, 2026: 2 });
  const dense = [Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [index, 0]))];
  for (const objects of [years, dense]) expect(await indexed(objects)).toMatch(/^\["resolve",/);
});

test.each([
  ['runs', ['push', 'unused'], (text: string) => ['pipeline', 0, ['wait'], [text]]],
  [
    'waits for the result of another',
    ['push', ['pipeline', 0, ['later'], []]],
    (text: string) => ['pipeline', 1, ['wait'], [text]],
  ],
  [
    'waits for what the client passes',
    ['push', 'unused'],
    (text: string, at: number) => ['pipeline', 0, ['wait'], [text, ['promise', -1 - at]]],
  ],
  ['waits in a stream', ['pipe'], (text: string) => ['pipeline', 1, ['write'], [text]]],
])('cannot have more wait than it may by releasing at once what %s', async (_what, first, callOf) => {
  const all = Promise.withResolvers<void>();
  class Target extends RpcTarget {
    later(): Promise<Target> {
      return new Promise(() => {});
    }
    wait(_text: string): Promise<void> {
      return new Promise(() => {});
    }
    last(): void {
      all.resolve();
    }
  }
  const calls = Array.from({ length: 10 }, (_, at) => [
    ['push', callOf('x'.repeat(1000), at)],
    ['release', at + 2, 1],
  ]);
  const messages = [first, ...calls.flat(), ['push', ['pipeline', 0, ['last'], []]]];
  const body = messages.map((message) => JSON.stringify(message)).join('\n');
  const leaving = new AbortController();
  const request = new Request('http://worker.test/capnweb', { method: 'POST', body, signal: leaving.signal });
  const refused: string[] = [];
  const answered = serveRpc(request as never, new Target() as never, {
    protocols: [capnWeb()],
    limits: { maxBytesInFlight: 3500 },
    onRefused: (code) => refused.push(code),
  });
  await all.promise;
  expect(refused).toEqual(Array(7).fill('OVERLOADED'));
  leaving.abort();
  await answered;
});

test('cannot send a Blob larger than what may wait', async () => {
  class Target extends RpcTarget {
    sizeOf(blob: Blob): number {
      return blob.size;
    }
  }
  const chunk = ['bytes', Buffer.alloc(750).toString('base64')];
  const send = (chunks: number) =>
    batch(
      new Target(),
      [
        ['pipe'],
        ['push', ['pipeline', 0, ['sizeOf'], [['blob', 'text/plain', ['readable', 1]]]]],
        ...Array(chunks).fill(['stream', ['pipeline', 1, ['write'], [chunk]]]),
        ['push', ['pipeline', 1, ['close'], []]],
        ['release', 1, 1],
        ['pull', 2],
      ],
      { maxBytesInFlight: 3500 },
    );
  expect(await send(3)).toContain('["resolve",2,2250]');
  expect(await send(10)).toContain('OVERLOADED');
});

test('cannot have more Blobs wait in its calls than what may wait', async () => {
  const held: Blob[] = [];
  class Target extends RpcTarget {
    wait(blob: Blob): Promise<void> {
      held.push(blob);
      return new Promise(() => {});
    }
    last(): void {}
  }
  const chunk = ['bytes', Buffer.alloc(750).toString('base64')];
  let id = 0;
  const calls = Array.from({ length: 5 }, () => {
    const pipe = ++id;
    const write = ['stream', ['pipeline', pipe, ['write'], [chunk]]];
    const call = ['push', ['pipeline', 0, ['wait'], [['blob', 'text/plain', ['readable', pipe]]]]];
    id += 4;
    return [['pipe'], call, write, write, ['push', ['pipeline', pipe, ['close'], []]], ['release', pipe, 1]];
  });
  const messages = [...calls.flat(), ['push', ['pipeline', 0, ['last'], []]], ['pull', id + 1]];
  const answer = await batch(new Target(), messages, { maxBytesInFlight: 3500 });
  expect(answer).toContain('OVERLOADED');
  expect(held.reduce((bytes, { size }) => bytes + size, 0)).toBe(2250);
});

test('is answered in a batch without waiting for calls that it has released', async () => {
  class Target extends RpcTarget {
    wait(): Promise<void> {
      return new Promise(() => {});
    }
    text(): string {
      return 'there';
    }
  }
  const answer = await batch(new Target(), [
    ['push', ['pipeline', 0, ['wait'], []]],
    ['release', 1, 1],
    ['push', ['pipeline', 0, ['text'], []]],
    ['pull', 2],
    ['release', 2, 1],
    ['push', ['pipeline', 0, ['text'], []]],
    ['pull', 3],
  ]);
  expect(answer).toBe('["resolve",2,"there"]\n["resolve",3,"there"]');
});

test('gets no more answers to a batch than may wait', async () => {
  class Target extends RpcTarget {
    text(): string {
      return 'x'.repeat(1000);
    }
  }
  const messages = Array.from({ length: 10 }, (_, at) => [
    ['push', ['pipeline', 0, ['text'], []]],
    ['pull', at + 1],
  ]);
  const answer = await batch(new Target(), messages.flat(), { maxBytesInFlight: 3500 });
  expect(answer.split('\n').map((line) => line.slice(0, 12))).toEqual([
    '["resolve",1',
    '["resolve",2',
    '["resolve",3',
    '["resolve",4',
    '["abort",["e',
  ]);
  expect(answer).toMatch(/maxBytesInFlight of 3500 exceeded by answers.*OVERLOADED/);
});

test('has a stream ended at its source where a chunk cannot be sent', async () => {
  let ended = false;
  class Target extends RpcTarget {
    async *maps(): AsyncGenerator<unknown> {
      try {
        yield new Map();
      } finally {
        ended = true;
      }
    }
  }
  await batch(new Target(), [
    ['push', ['pipeline', 0, ['maps'], []]],
    ['pull', 1],
  ]);
  await expect.poll(() => ended).toBe(true);
});

test('is told that no more is written to its stream where a chunk cannot be sent', async () => {
  class Target extends RpcTarget {
    async write(stream: WritableStream): Promise<string> {
      const writer = stream.getWriter();
      return String(await writer.write(new Map()).catch(String));
    }
  }
  const answer = await batch(new Target(), [
    ['push', ['pipeline', 0, ['write'], [['writable', -1]]]],
    ['pull', 1],
  ]);
  expect(answer).toMatch(/\["pipeline",-1,\["abort"\],.*NOT_CLONEABLE/);
});

test('is refused what a session cannot copy, and what it copies of subclasses, with the place', async () => {
  class Place extends URL {}
  class Target extends RpcTarget {
    file(): unknown {
      return { in: [new File([], 'a')] };
    }
    place(): unknown {
      return { in: [new Place('http://a.test/')] };
    }
  }
  for (const [name, type] of [
    ['file', 'File'],
    ['place', 'Place'],
  ]) {
    const answer = await batch(new Target(), [
      ['push', ['pipeline', 0, [name], []]],
      ['pull', 1],
    ]);
    expect(answer).toContain(`the result of ${name}(): at value.in[0]: a ${type} cannot be sent`);
  }
});

test('passes bytes and functions in an AggregateError as anywhere else', async () => {
  class Target extends RpcTarget {
    look({ errors: [bytes, callback] }: AggregateError): string {
      return `${bytes.constructor.name}, ${'onRpcBroken' in callback}`;
    }
  }
  const error = [
    'error',
    'AggregateError',
    'both',
    null,
    {
      errors: [
        [
          ['bytes', 'YWJj'],
          ['export', -1],
        ],
      ],
    },
  ];
  const answer = await batch(new Target(), [
    ['push', ['pipeline', 0, ['look'], [error]]],
    ['pull', 1],
  ]);
  expect(answer).toContain('"Uint8Array, false"');
});

test('has its calls observed as those of other clients are, with their outcomes', async () => {
  class Target extends RpcTarget {
    get name(): string {
      return 'Ada';
    }
    async later(text: string): Promise<string> {
      await Promise.resolve();
      return text.toUpperCase();
    }
    fail(): never {
      throw new RangeError('no');
    }
  }
  const seen: unknown[] = [];
  const observe = observeCalls(({ direction, method, isRead, args, caller }) => {
    const call = [direction, method, isRead, args, caller?.identity];
    return { end: ({ outcome, value, error }) => void seen.push([...call, outcome, value ?? String(error)]) };
  });
  const messages = [
    ['push', ['pipeline', 0, ['name']]],
    ['push', ['pipeline', 0, ['later'], ['soon']]],
    ['push', ['pipeline', 0, ['fail'], []]],
    ...[1, 2, 3].map((id) => ['pull', id]),
  ];
  const body = messages.map((message) => JSON.stringify(message)).join('\n');
  const request = new Request('http://worker.test/capnweb', { method: 'POST', body });
  const options = { protocols: [capnWeb()], identity: 'ada', observe, onError() {} };
  await serveRpc(request as never, new Target() as never, options);
  expect(seen).toEqual([
    ['incoming', 'name', true, undefined, 'ada', 'value', 'Ada'],
    ['incoming', 'later', false, ['soon'], 'ada', 'value', 'SOON'],
    ['incoming', 'fail', false, [], 'ada', 'error', 'RangeError: no'],
  ]);
});

/** Sends messages in a batch to a target in this process, and returns the answer. */
async function batch(
  target: RpcTarget,
  messages: readonly unknown[],
  limits = {},
  identity?: unknown,
): Promise<string> {
  const body = messages.map((message) => JSON.stringify(message)).join('\n');
  const request = new Request('http://worker.test/capnweb', { method: 'POST', body });
  const options = { protocols: [capnWeb()], limits, identity };
  return (await serveRpc(request as never, target as never, options)).text();
}
