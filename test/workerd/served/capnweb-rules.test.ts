import { connect, RpcTarget as OwnTarget } from '@lumenize/rpc';
import { newHttpBatchRpcSession, newWebSocketRpcSession, RpcTarget } from 'capnweb';
import { beforeAll, expect, test } from 'vitest';
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
  expect(await stub.log()).toEqual([
    'connected',
    'DENIED pay',
    expect.stringMatching(/^list: the result of list\(\)/),
    expect.stringMatching(/^circle: the result of circle\(\)/),
    'failing: round',
  ]);
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
