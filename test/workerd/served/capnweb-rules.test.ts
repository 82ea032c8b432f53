import { capnWeb } from '@lumenize/capnweb';
import { connect, RpcTarget as OwnTarget } from '@lumenize/rpc';
import { expiring, serveRpc } from '@lumenize/rpc/server';
import { newHttpBatchRpcSession, newWebSocketRpcSession, RpcTarget } from 'capnweb';
import { beforeAll, expect, test, vi } from 'vitest';
import { serveAdapter } from '../../support/serve-adapter.ts';
import { type SharedWorker, sharedWorker } from '../../support/shared-worker.ts';

// biome-ignore lint/suspicious/noExplicitAny: members that there are not are tried, too
type Untyped = any;

let worker: SharedWorker;
let instance = 0;

beforeAll(async () => {
  worker = await sharedWorker();
});

const path = () => `/capnweb/rules/object-${++instance}`;
const open = (where: string): Untyped => newWebSocketRpcSession(worker.url(where));

test('has the identity that the Worker found, beside clients of this library on the same object', async () => {
  const where = path();
  using old = open(`${where}?user=ada`);
  using young = connect(worker.url(`${where.replace('/capnweb', '/rpc')}?user=bob`)) as Untyped;
  expect([await old.whoAmI(), await young.whoAmI()]).toEqual(['ada', 'bob']);
  expect(await young.log()).toEqual(['connected', 'connected']);
});

test('is refused before the object is woken where nobody knows who it is, or from where', async () => {
  const url = worker.url(path()).replace('ws:', 'http:');
  const post = (query: string, headers = {}) => fetch(url + query, { method: 'POST', body: '["abort",1]', headers });
  expect((await post('?user=stranger')).status).toBe(403);
  expect((await post('', { Origin: 'https://elsewhere.example' })).status).toBe(403);
});

test('gets its calls guarded and their arguments checked, and is told of codes', async () => {
  using bob = open(`${path()}?user=bob`);
  using ada = open(`${path()}?user=ada`);
  await expect(settled(bob.drop())).rejects.toMatchObject({ code: 'DENIED' });
  expect(await ada.drop()).toBe('dropped');
  expect(await bob.double(4)).toBe(8);
  await expect(settled(bob.double('4'))).rejects.toMatchObject({
    code: 'INVALID_ARGUMENTS',
    data: { issues: [{ path: [0] }] },
  });
  await expect(settled(bob.missing())).rejects.toBeInstanceOf(RangeError);
  expect(await bob.log()).toEqual(['connected', 'DENIED drop', 'INVALID_ARGUMENTS double', 'missing: a defect']);
});

test('is counted in the metrics of the object, and as awake', async () => {
  using stub = open(path());
  await stub.double(1);
  await settled(stub.missing()).catch(() => {});
  expect(await stub.metrics()).toMatchObject({ connections: 1, hibernating: 0, callsSucceeded: 1, callsFailed: 1 });
});

test('is refused its calls where its rate limit cannot be found, of which onError is told', async () => {
  const where = path();
  using unrated = open(`${where}?user=unrated`);
  expect(await settled(unrated.double(1)).catch(String)).toMatch('rateLimits.identity.by failed');
  using stub = open(where);
  expect((await stub.log()).toSorted()).toEqual(['a frame: a defect of the class', 'connected', 'connected']);
});

test('is answered what it asked for before its identity expired, also if it releases something then', async () => {
  const expiresAt = Date.now() + 60_000;
  class Target extends OwnTarget {
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

test('is told when the object ends its connection', async () => {
  const where = path();
  using old = open(where);
  using young = connect(worker.url(where.replace('/capnweb', '/rpc'))) as Untyped;
  await old.double(1);
  const broken = new Promise<Error>((resolve) => old.onRpcBroken(resolve));
  await settled(young.endAll()).catch(() => {});
  expect((await broken).message).toContain('the server has ended the connection');
  // Only the client of this library comes back.
  expect(await young.metrics()).toMatchObject({ connections: 1 });
});

test('is refused what it cannot ask for or get, with the reason', async () => {
  using stub = open(path());
  await expect(settled(stub.pay())).rejects.toThrow(/pay\(\) is declared exactlyOnce.*atMostOnce/s);
  await expect(settled(stub.list())).rejects.toThrow(/the result of list\(\): at value\.rooms: a Map cannot be sent/);
  await expect(settled(stub.circle())).rejects.toThrow(/at value\.self: a cycle cannot be sent/);
  await expect(settled(stub.failing())).rejects.toThrow('round');
});

test('holds nothing of a result that could not be sent', async () => {
  using stub = open(path());
  for (let time = 0; time < 60; time++)
    await expect(settled(stub.roomAndMap())).rejects.toThrow(/a Map cannot be sent/);
  using room = await stub.room();
  expect(await room.title()).toBe('room one');
});

test('holds nothing of arguments of which one could not be passed', async () => {
  using stub = open(path());
  expect(await stub.passInVain(() => {}, 60)).toMatch(/what is passed: at value\[1\]\[0\]: a Map cannot be sent/);
  expect(await stub.showRoom((room: Untyped) => room.title())).toBe('room three');
});

test('is told of what garbage collection has found, and goes on', async () => {
  let released = 0;
  class Passed extends RpcTarget {
    [Symbol.dispose]() {
      released++;
    }
  }
  using stub = open(path());
  while (released === 0) {
    expect(await stub.forget(new Passed())).toBe('forgotten');
    await stub.makeGarbage();
  }
  expect(await stub.double(4)).toBe(8);
});

test('is lost together with its functions, and those that were called may have run', async () => {
  const where = path();
  using watching = open(where);
  await watching.log();
  const leaving = open(where);
  const called = Promise.withResolvers<void>();
  settled(
    leaving.askTwice(() => {
      called.resolve();
      return new Promise(() => {});
    }),
  ).catch(() => {});
  await called.promise;
  leaving[Symbol.dispose]();
  await expect.poll(() => watching.log()).toContain('second: REFERENCE_LOST');
  expect(await watching.log()).toContain('first: OUTCOME_UNKNOWN');
});

test('reaches nothing that is not declared', async () => {
  using stub = open(path());
  for (const name of ['secret', 'constructor', '__proto__', 'then', 'toString', '#log', 'nope', 'ctx', '~refusal']) {
    const answers = await ask(['push', ['pipeline', 0, [name], []]], ['push', ['pipeline', 0, [name]]]);
    expect(answers[0], name).toEqual(['reject', 1, expect.anything(), expect.anything()].slice(0, 3));
    expect(answers[1], name).toEqual(
      expect.toSatisfy(([kind, , value]) => kind === 'reject' || value[0] === 'undefined' || value[0] === 'export'),
    );
  }
  using room = await stub.room();
  expect(await room.title()).toBe('room one');
  await expect(settled(room.own)).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
  await expect(settled(room.name)).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
  using closed = await stub.closedRoom();
  await expect(settled(closed.title())).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
  await expect(settled(closed.rename())).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
  using make = await stub.makeRoom();
  expect([await make.leaked, await make.name, await make.prototype]).toEqual([undefined, undefined, undefined]);
  expect(await make().title()).toBe('room two');
  expect(await stub.showRoom(async (shown: Untyped) => [await shown.title(), await shown.own.catch(String)])).toEqual([
    'room three',
    expect.stringMatching(/no method "own"/),
  ]);
});

test("has its functions and targets passed on by the platform's own RPC", async () => {
  class Passed extends RpcTarget {
    title(): string {
      return 'passed';
    }
  }
  using stub = open(path());
  expect(await stub.passFunctionOn(() => 'called')).toEqual(['called', 'called']);
  expect(await stub.passTargetOn(new Passed())).toEqual(['passed', 'passed']);
  expect(await stub.passMemberOn(new Passed())).toBe('passed');
});

test("gets stubs of the platform's own as stubs", async () => {
  using stub = open(path());
  using room = await stub.nativeRoom();
  expect(await room.title()).toBe('room elsewhere');
  using made = await stub.nativeFunctions();
  expect(await made.make().title()).toBe('room made elsewhere');
});

test.each([
  ["Cap'n Web", (where: string) => open(where)],
  ['this library', (where: string) => connect(worker.url(where.replace('/capnweb', '/rpc'))) as Untyped],
])("of %s gets stubs of Cap'n Web's that a target returns as stubs, again and again", async (_library, connectTo) => {
  using stub = connectTo(path());
  for (let time = 0; time < 3; time++) {
    using room = await stub.capnWebRoom();
    expect(await room.title()).toBe('room behind');
  }
});

test('has its targets reached by clients of this library, and reaches theirs', async () => {
  class Passed extends RpcTarget {
    title(): string {
      return 'passed';
    }
  }
  class Own extends OwnTarget {
    title(): string {
      return 'passed, too';
    }
  }
  const where = path();
  using old = open(where);
  using young = connect(worker.url(where.replace('/capnweb', '/rpc'))) as Untyped;
  await old.leave(new Passed());
  using left = await young.left();
  expect(await left.title()).toBe('passed');
  await young.leave(new Own());
  using leftToo = await old.left();
  expect(await leftToo.title()).toBe('passed, too');
});

test('is answered over HTTP, too', async () => {
  const batch: Untyped = newHttpBatchRpcSession(worker.url(path()).replace('ws:', 'http:'));
  const [double, title] = [batch.double(2), batch.room().title()];
  expect(await Promise.all([double, title])).toEqual([4, 'room one']);
});

test('lets others have their turn between the calls of a large batch', async () => {
  const ran: string[] = [];
  class Target extends OwnTarget {
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
  class Target extends OwnTarget {
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

test('may have so many calls in flight, and is refused further ones each for itself', async () => {
  using stub = open(path());
  const running = [stub.forever(), stub.forever(), stub.forever()];
  for (const each of running) each.catch(() => {});
  await expect(settled(stub.forever())).rejects.toMatchObject({ code: 'OVERLOADED' });
});

test('cannot ask for too much by callbacks of map', async () => {
  using stub = open(path());
  const doubled = await stub.numbers(20).map((n: Untyped) => stub.double(n));
  expect(doubled.at(-1)).toBe(38);
  const many = stub.numbers(5000).map((n: Untyped) => ({ n, more: [1, 2, 3] }));
  await expect(settled(many)).rejects.toThrow(/maxMapOperations of 3000 exceeded/);
  const inside = stub.numbers(200).map(() => stub.numbers(2).map((m: Untyped) => ({ m })));
  await expect(settled(inside)).rejects.toThrow(/maxMapOperations|maxCallsInFlight/);
});

test('maps the results of map that it has not awaited', async () => {
  using stub = open(path());
  const numbers = stub.numbers(3).map((n: Untyped) => ({ n, twice: stub.double(n) }));
  expect(await numbers.map(({ n, twice }: Untyped) => [n, twice])).toEqual([
    [0, 0],
    [1, 2],
    [2, 4],
  ]);
});

test.each([
  ['one after the other', (pairs: unknown[]) => pairs.map((pair) => ['push', pair])],
  ['in a callback of map', (pairs: unknown[]) => [['push', ['remap', 1, [], [], [[[1]], ...pairs]]]]],
])('cannot send values that double without end, %s', async (_how, sending) => {
  class Target extends OwnTarget {
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
  class Target extends OwnTarget {
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
  class Target extends OwnTarget {
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

test('cannot have more calls wait on a socket than it may hold by releasing them at once', async () => {
  const socket = new WebSocket(worker.url(path()));
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve));
  const send = (message: unknown) => socket.send(JSON.stringify(message));
  send(['push', ['pipeline', 0, ['forever'], []]]);
  for (let id = 2; id < 45; id++) {
    send(['push', ['pipeline', 1, ['title'], []]]);
    send(['release', id, 1]);
  }
  expect((await closed).reason).toContain('maxReferences of 40 exceeded by results that are held');
});

test('cannot send a Blob larger than what may wait', async () => {
  class Target extends OwnTarget {
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
  class Target extends OwnTarget {
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
  class Target extends OwnTarget {
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

test('is not sent what a call returns that it has released, but the references in it', async () => {
  const socket = new WebSocket(worker.url(path()));
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const answers: string[] = [];
  const done = new Promise<void>((resolve) => {
    socket.addEventListener('message', ({ data }) => {
      answers.push(data);
      if (data.startsWith('["resolve",3,')) resolve();
    });
  });
  const messages = [
    ['push', ['pipeline', 0, ['double'], [1]]],
    ['release', 1, 1],
    ['push', ['pipeline', 0, ['room'], []]],
    ['release', 2, 1],
    ['push', ['pipeline', 0, ['double'], [2]]],
    ['pull', 3],
  ];
  for (const message of messages) socket.send(JSON.stringify(message));
  await done;
  expect(answers).toEqual(['["resolve",2,["export",-1]]', '["resolve",3,4]']);
  socket.close();
});

test('is sent nothing for a call that it only makes another on', async () => {
  const socket = new WebSocket(worker.url(path()));
  const received: string[] = [];
  socket.addEventListener('message', ({ data }) => received.push(data));
  using stub: Untyped = newWebSocketRpcSession(socket as never);
  {
    using makeRoom = stub.makeRoom();
    using room = makeRoom();
    expect(await room.title()).toBe('room two');
  }
  expect(await stub.double(1)).toBe(2);
  expect(received).toEqual(['["resolve",3,"room two"]', '["resolve",4,2]']);
});

test('gets no more answers to a batch than may wait', async () => {
  class Target extends OwnTarget {
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
  class Target extends OwnTarget {
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
  class Target extends OwnTarget {
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
  class Target extends OwnTarget {
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
  class Target extends OwnTarget {
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

test.each([
  [
    'begins without end',
    (send: Send) => repeat(45, () => send(['push', ['pipeline', 0, ['log'], []]])),
    /LIMIT_EXCEEDED: maxReferences of 40/,
    1008,
  ],
  [
    'opens pipes without end',
    (send: Send) => repeat(45, () => send(['pipe'])),
    /LIMIT_EXCEEDED: maxReferences of 40/,
    1008,
  ],
  [
    'keeps what it says it releases',
    (send: Send) => send(['push', ['pipeline', 0, ['log'], []]], ['release', 1, 0]),
    /MALFORMED_FRAME: .*a release of 0/,
    1007,
  ],
  [
    'answers with calls without end',
    (send: Send) => send(['resolve', 7, [Array.from({ length: 21 }, () => ['pipeline', 0, ['log'], []])]]),
    /LIMIT_EXCEEDED: maxOperationsPerFrame of 20/,
    1008,
  ],
  [
    'takes its leave with calls without end',
    (send: Send) => send(['abort', [Array.from({ length: 21 }, () => ['pipeline', 0, ['log'], []])]]),
    /LIMIT_EXCEEDED: maxOperationsPerFrame of 20/,
    1008,
  ],
  ['sends too much', (send: Send) => send(['push', 'x'.repeat(20_001)]), /TOO_LARGE: maxMessageBytes of 20000/, 1009],
  ['sends what is no JSON', (_: Send, raw: (text: string) => void) => raw('{'), /MALFORMED_FRAME/, 1007],
  ['sends what is no message', (send: Send) => send({ a: 1 }), /MALFORMED_FRAME/, 1007],
  [
    'sends what is no expression',
    (send: Send) => send(['push', ['pipeline', 99, ['log'], []]]),
    /MALFORMED_FRAME/,
    1007,
  ],
  [
    'nests without end',
    (_: Send, raw: (text: string) => void) => raw(`["push",${'['.repeat(5000)}${']'.repeat(5000)}]`),
    /LIMIT_EXCEEDED: maxDepth of 1000/,
    1008,
  ],
  [
    'goes a path without end',
    (send: Send) => send(['push', ['pipeline', 0, Array(65).fill('log')]]),
    /MALFORMED_FRAME: .*a path of more than 64 names/,
    1007,
  ],
  [
    'goes such a path in a callback of map',
    (send: Send) => send(['push', ['remap', 0, [], [], [['pipeline', 0, Array(65).fill('log')]]]]),
    /MALFORMED_FRAME: .*a path of more than 64 names/,
    1007,
  ],
])('that %s loses its connection, and is told why', async (_name, run, reason, code) => {
  const closed = Promise.withResolvers<CloseEvent>();
  const socket = new WebSocket(worker.url(path()));
  socket.addEventListener('close', closed.resolve);
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  run(
    (...messages) => {
      for (const message of messages) socket.send(JSON.stringify(message));
    },
    (text) => socket.send(text),
  );
  const event = await closed.promise;
  expect([event.code, event.reason]).toEqual([code, expect.stringMatching(reason)]);
});

test('is refused a message of too many operations, and goes on', async () => {
  using stub = open(path());
  const list = Array.from({ length: 30 }, () => stub.room());
  await expect(settled(stub.double(list))).rejects.toThrow(/maxOperationsPerFrame of 20|maxReferences/);
  expect(await stub.double(1)).toBe(2);
});

test('is charged for each name of a path', async () => {
  const [short, long] = await ask(
    ['push', ['pipeline', 0, Array(20).fill('missing')]],
    ['push', ['pipeline', 0, Array(21).fill('missing')]],
  );
  expect(JSON.stringify(short)).not.toContain('LIMIT_EXCEEDED');
  expect(JSON.stringify(long)).toContain('maxOperationsPerFrame of 20 exceeded');
});

/** A promise of the language's own: a result of Cap'n Web's is a function to vitest, which would call it. */
async function settled(result: PromiseLike<unknown>): Promise<unknown> {
  return result;
}

/** Sends messages in a batch to a target in this process, and returns the answer. */
async function batch(
  target: OwnTarget,
  messages: readonly unknown[],
  limits = {},
  identity?: unknown,
): Promise<string> {
  const body = messages.map((message) => JSON.stringify(message)).join('\n');
  const request = new Request('http://worker.test/capnweb', { method: 'POST', body });
  const options = { protocols: [capnWeb()], limits, identity };
  return (await serveRpc(request as never, target as never, options)).text();
}

/** Sends messages as no client would, and returns what is answered to each. */
async function ask(...messages: unknown[]): Promise<unknown[][]> {
  const socket = new WebSocket(worker.url(path()));
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const answers: unknown[][] = [];
  const done = Promise.withResolvers<void>();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(data);
    answers[answer[1] - 1] = answer;
    if (Object.keys(answers).length === messages.length) done.resolve();
  });
  socket.addEventListener('close', () => done.reject(new Error('the server has closed')));
  for (const message of messages) socket.send(JSON.stringify(message));
  for (const index of messages.keys()) socket.send(JSON.stringify(['pull', index + 1]));
  await done.promise;
  socket.close();
  return answers;
}

type Send = (...messages: unknown[]) => void;

function repeat(times: number, run: () => void): void {
  for (let time = 0; time < times; time++) run();
}

test('reads streams to their end where the clock stands still between a chunk and its acknowledgement', async () => {
  await using slow = await serveAdapter('coarse-clock-worker.ts');
  using stub = newWebSocketRpcSession(slow.url('/capnweb/contract/object')) as Untyped;
  let bytes = 0;
  for await (const chunk of await stub.bytes(16, 65_536)) bytes += chunk.length;
  expect(bytes).toBe(1_048_576);
});
