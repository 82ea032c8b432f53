import { connection, RpcError, withOptions } from '@lumenize/rpc';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { expect, test } from 'vitest';
import { connectOver } from '../src/client/connect.ts';
import { Line } from './support/line.ts';

// biome-ignore lint/suspicious/noExplicitAny: stubs are called as untyped code does, too
type Any = any;

const ticks = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms));
const failure = (promise: PromiseLike<unknown>): Promise<Any> =>
  Promise.resolve(promise).then(
    () => 'resolved',
    (e) => e,
  );

class Room extends RpcTarget {
  readonly #name: string;
  constructor(name: string) {
    super();
    this.#name = name;
  }
  get name() {
    return this.#name;
  }
  child(name: string) {
    return new Room(`${this.#name}/${name}`);
  }
  say(text: string) {
    return `${this.#name}: ${text}`;
  }
}
class Target extends RpcTarget {
  static readonly rpc = { room: { restorable: true }, again: { idempotent: true } };
  ran: unknown[] = [];
  room(name: string) {
    return new Room(name);
  }
  echo(value: Any) {
    this.ran.push(value);
    return value;
  }
  again(value: Any) {
    return this.echo(value);
  }
  get title() {
    return 'a title';
  }
  async never() {
    await new Promise(() => {});
  }
  bytes(a: Any) {
    return [...a.y];
  }
  list() {
    return [new Room('a'), new Room('b')];
  }
  async later(ms: number) {
    await ticks(ms);
    return ms;
  }
  throwingIterable(): Any {
    return new (class Bad {
      [Symbol.asyncIterator]() {
        throw new Error('no iterator');
      }
    })();
  }
  async open() {
    await ticks(1);
    return new Gate();
  }
  async reason(signal: AbortSignal) {
    await new Promise<void>((resolve) =>
      signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve()),
    );
    return signal.reason;
  }
  sink() {
    return new WritableStream({});
  }
  unregistered(): Any {
    return this.echo({ then: 1 });
  }
  async take(_: Any) {}
}
class Gate extends RpcTarget {
  #resolve!: () => void;
  #promise = new Promise<void>((r) => {
    this.#resolve = r;
  });
  child() {
    return this;
  }
  async wait() {
    await this.#promise;
    return 'waited';
  }
  trigger() {
    this.#resolve();
    return 'triggered';
  }
}

/** Connects to a server that the test plays. Returns the stub, the messages of each connection, and the events of the last. */
function script() {
  const ups: string[][] = [];
  const script = { ups, events: undefined as Any, stub: undefined as Any };
  script.stub = connectOver<Any>(
    (events) => {
      script.events = events;
      const up: string[] = [];
      ups.push(up);
      queueMicrotask(() => events.opened());
      return { send: (message) => void up.push(String(message)), close: () => {}, probe: () => events.alive() };
    },
    'a script',
    { reconnect: { minDelayMs: 1, maxDelayMs: 1 }, onStateChange: () => {} },
  );
  return script;
}

test('a step behind a place that is used twice is the right one', async () => {
  const line = new Line(new Target());
  const stub = line.connect();
  const room = await stub.room('a');
  const child = room.child('b');
  const [x, y] = await Promise.all([child.say('x'), child.say('y')]);
  expect([x, y]).toEqual(['a/b: x', 'a/b: y']);
  connection(stub).close();
});

test('a large text beside a member that is not read yet is sent once', async () => {
  const target = new Target();
  const line = new Line(target);
  const stub = line.connect();
  await stub.title;
  const result = await failure(stub.echo([stub.title, 'x'.repeat(600_000)]));
  expect(result).toBe('resolved');
  expect(line.up.length).toBeLessThan(6);
  connection(stub).close();
});

test('more members as arguments than a frame has room for are read first', async () => {
  const line = new Line(new Target());
  const stub = line.connect({ limits: { maxOperationsPerFrame: 10 } });
  await stub.title;
  for (let i = 0; i < 8; i++) void stub.title.then(() => {});
  const result = await failure(stub.echo(Array.from({ length: 5 }, () => stub.title)));
  expect(result).toBe('resolved');
  const many = await failure(stub.echo(Array.from({ length: 25 }, () => stub.title)));
  expect(many).toBe('resolved');
  expect(line.sessions.length).toBe(1);
  connection(stub).close();
});

test('a getter of an argument may make a call with bytes', async () => {
  const line = new Line(new Target());
  const stub = line.connect();
  const args = {
    get x() {
      void stub.echo(new Uint8Array([9, 9, 9])).then(() => {});
      return 1;
    },
    y: new Uint8Array([1, 2]),
  };
  expect(await stub.bytes(args)).toEqual([1, 2]);
  connection(stub).close();
});

test('a call whose argument never settles can be given up', async () => {
  const stub = connectInMemory(new Target()) as Any;
  const result = await Promise.race([
    failure(withOptions(stub, { timeoutMs: 20 }).echo(new Promise(() => {}))),
    ticks(300),
  ]);
  expect(result?.code).toBe('TIMED_OUT');
  const c = new AbortController();
  const p = failure(withOptions(stub, { signal: c.signal }).echo(new Promise(() => {})));
  c.abort();
  expect(((await Promise.race([p, ticks(300)])) as Any)?.code).toBe('CANCELLED');
});

test('a step that is used after the connection was closed rejects', async () => {
  const line = new Line(new Target());
  const stub = line.connect({ maxWaitMs: Infinity });
  const room = stub.echo({ a: 1 });
  await room.a;
  const node = stub.list();
  const q = node[0].child('x');
  await q.say('1');
  connection(stub).close();
  const result = await Promise.race([failure(q), ticks(300)]);
  expect(result).toBeInstanceOf(RpcError);
});

test('authenticate() rejects if no connection is made any more', async () => {
  const line = new Line(new Target());
  const stub = line.connect({ token: () => 't', reconnect: false });
  await stub.title;
  line.isDown = true;
  const result = await Promise.race([failure(connection(stub).authenticate()), ticks(300)]);
  expect(result).toBeInstanceOf(RpcError);
});

test('open() connects after a refusal, and not after close()', async () => {
  const line = new Line(new Target());
  const stub = line.connect();
  await stub.title;
  line.cut(1008, 'DENIED: go away');
  expect(connection(stub).state).toBe('closed');
  connection(stub).open();
  await ticks();
  expect(connection(stub).state).toBe('open');
  connection(stub).close();
  connection(stub).open();
  await ticks();
  expect(connection(stub).state).toBe('closed');
});

test('a signal may be aborted with any reason', async () => {
  const line = new Line(new Target());
  const stub = line.connect();
  await stub.title;
  for (const reason of [new Uint8Array([1, 2]), { p: Promise.resolve(1) }, () => 1, stub.title]) {
    const c = new AbortController();
    const p = failure(stub.reason(c.signal));
    await ticks(1);
    c.abort(reason);
    const got = await Promise.race([p, ticks(300)]);
    expect(got).toBe('resolved');
  }
  expect(line.sessions.length).toBe(1);
  connection(stub).close();
});

test('an iterable that cannot be iterated fails its reader', async () => {
  const target = new Target();
  const line = new Line(target);
  const stub = line.connect();
  await stub.title;
  const bad = target.throwingIterable();
  let p: Any;
  expect(() => {
    p = failure(stub.take(bad));
  }).not.toThrow();
  await p;
  const it = await stub.throwingIterable();
  await expect(it.next()).rejects.toThrow('no iterator');
  expect(line.sessions.length).toBe(1);
  connection(stub).close();
});

test('a step can be used while the rest of its chain waits for that', async () => {
  const stub = connectInMemory(new Target()) as Any;
  const c = stub.open().child();
  const waiting = c.wait();
  const got = await Promise.race([c.trigger(), ticks(300)]);
  expect(got).toBe('triggered');
  expect(await waiting).toBe('waited');
});

test('who writes to a stream is told of a loss at once', async () => {
  const line = new Line(new Target());
  const stub = line.connect();
  const writer = (await stub.sink()).getWriter();
  line.cut();
  const got = await Promise.race([failure(writer.closed), ticks(300)]);
  expect(got?.code).toBe('REFERENCE_LOST');
  connection(stub).close();
});

test('what calls pass that were never sent is let go of', async () => {
  const line = new Line(new Target());
  line.isDown = true;
  const stub = line.connect({ maxWaitMs: 30 });
  const f = await failure(stub.take(() => 1));
  expect(f.code).toBe('NOT_EXECUTED');
  expect(connection(stub).statistics.exports).toBe(0);
  let cancelled: unknown;
  const p = failure(
    stub.take(
      new ReadableStream({
        cancel(r) {
          cancelled = r ?? 'yes';
        },
      }),
    ),
  );
  await ticks(1);
  connection(stub).close();
  await p;
  expect(cancelled).toBeDefined();
  expect(connection(stub).statistics.exports).toBe(0);
});

test('many calls that reject as not executed do not run later', async () => {
  const target = new Target();
  const line = new Line(target);
  line.isDown = true;
  const stub = line.connect({ reconnect: false });
  let retried = false;
  const calls = Array.from({ length: 300 }, (_, i) =>
    failure(stub.echo(i)).then((e) => {
      if (!retried) {
        retried = true;
        line.isDown = false;
        void failure(stub.echo('retry'));
      }
      return e.code;
    }),
  );
  const codes = await Promise.all(calls);
  await ticks(20);
  expect(new Set(codes)).toEqual(new Set(['NOT_EXECUTED']));
  expect(target.ran).toEqual(['retry']);
});

test('an answer that the client refuses fails its call only', async () => {
  const target = new Target();
  const line = new Line(target);
  const stub = line.connect({ limits: { maxReferences: 1 } });
  const [a, b] = await Promise.all([failure(stub.list()), failure(stub.later(10))]);
  expect([a.code ?? a, b]).toEqual(['LIMIT_EXCEEDED', 'resolved']);
  expect(line.sessions.length).toBe(1);
  connection(stub).close();
});

test('a callback gives the same in a later turn', async () => {
  const stub = connectInMemory(new Target()) as Any;
  const list = stub.list();
  const first = await list.map((n: Any) => ({ name: n.name }));
  await stub.later(5);
  const second = await list.map((n: Any) => ({ name: n.name, said: [n.say('x')] }));
  expect(first).toEqual([{ name: 'a' }, { name: 'b' }]);
  expect(second).toEqual([
    { name: 'a', said: ['a: x'] },
    { name: 'b', said: ['b: x'] },
  ]);
});

test('a body that was used is refused as other arguments are', async () => {
  const stub = connectInMemory(new Target()) as Any;
  const response = new Response('x');
  await response.text();
  const e = await failure(stub.echo(response));
  expect(e.code).toBe('NOT_CLONEABLE');
  expect(e).toBeInstanceOf(RpcError);
});

test('a member whose name is a number is no number', async () => {
  const line = new Line(new Target());
  line.isDown = true;
  const stub = line.connect();
  const a = failure(withOptions(stub, { timeoutMs: 10 })['5']);
  const a2 = failure(stub['5']);
  const b = failure(withOptions(stub, { timeoutMs: 10 }).echo(1));
  const c = failure(stub.echo(2));
  await ticks(30);
  line.isDown = false;
  expect(await Promise.race([Promise.all([a, a2, b, c]), ticks(500)])).toMatchObject([
    { code: 'TIMED_OUT' },
    { code: 'METHOD_NOT_FOUND' },
    { code: 'TIMED_OUT' },
    'resolved',
  ]);
  connection(stub).close();
});

test('what the other side holds already can be passed again at the limit', async () => {
  const line = new Line(new Target());
  const kept: Any[] = [];
  class Keep extends RpcTarget {
    keep(f: Any) {
      kept.push(f);
    }
  }
  const stub = new Line(new Keep()).connect({ limits: { maxReferences: 1 } });
  const f = () => 1;
  await stub.keep(f);
  await stub.keep(f);
  void line;
});
test('a step that is used twice in a recorded callback is the right one', async () => {
  const stub = connectInMemory(new Target()) as Any;
  const got = await stub.list().map((n: Any) => {
    const c = n.child('c');
    return [c.say('x'), c.say('y')];
  });
  expect(got).toEqual([
    ['a/c: x', 'a/c: y'],
    ['b/c: x', 'b/c: y'],
  ]);
});

test('a subscription goes on with one call for each connection, in front of all others', async () => {
  const line = script();
  const { stub, ups } = line;
  const p = stub.watch();
  void p.then(() => {});
  await ticks();
  line.events.received('[-1,{"$":{"$topic":["t",["e",0]]}}]');
  const sub = await p;
  line.events.closed(1006, '');
  await ticks(20);
  expect(ups[1]).toEqual(['[2,[{"since":["e",0]},"watch",[]]]']);
  line.events.closed(1006, '');
  await ticks(20);
  expect(ups[2]).toEqual(['[3,[{"since":["e",0]},"watch",[]]]']);
  line.events.received('[-3,{"$":{"$topic":["t",["e",0]]}}]');
  line.events.received('{"topic":"t","first":["e",1],"events":["hello"]}');
  expect((await sub.next()).value).toEqual({ sequence: 1, event: 'hello' });
  await ticks();
  // offline read
  line.events.received('{"topic":"t","first":["e",2],"events":["two"]}');
  line.events.closed(1006, '');
  expect((await sub.next()).value).toEqual({ sequence: 2, event: 'two' });
  const next = sub.next();
  const before = failure(stub.before());
  await ticks(20);
  expect(ups[3]).toEqual(['[5,[{"since":["e",2]},"watch",[]]]', '[4,["before",[]]]']);
  void next;
  void before;
  connection(stub).close();
});

/** Subscribes in a script, at a position. */
async function subscribed(position: unknown) {
  const line = script();
  const call = line.stub.watch();
  void call.then(() => {});
  await ticks();
  line.events.received(`[-1,{"$":{"$topic":["t",${JSON.stringify(position)}]}}]`);
  return { ...line, line, subscription: await call };
}

test('a subscription goes on with another topic, if its method returns that by then', async () => {
  const { line, stub, subscription } = await subscribed(['e', 3]);
  line.events.closed(1006, '');
  await ticks(20);
  line.events.received('[-2,{"$":{"$topic":["u",["f",0],{"$number":"Infinity"}]}}]');
  line.events.received('{"topic":"u","first":["f",1],"events":["hello"]}');
  expect((await subscription.next()).value).toEqual({ sequence: 0, missed: Infinity });
  expect((await subscription.next()).value).toEqual({ sequence: 1, event: 'hello' });
  connection(stub).close();
}, 5000);

test('a subscription is where its reader is, also when the topic has begun anew', async () => {
  const { line, stub, subscription } = await subscribed(['e.1', 0]);
  line.events.received('{"topic":"t","first":["e.1",1],"events":["a","b"]}');
  await subscription.next();
  await ticks();
  line.events.closed(1006, '');
  await ticks(20);
  line.events.received('[-2,{"$":{"$topic":["t",["f.1",0],{"$number":"Infinity"}]}}]');
  line.events.received('{"topic":"t","first":["f.1",1],"events":["c"]}');
  await ticks();
  const positions = [subscription.position];
  for (let item = 0; item < 3; item++) {
    await subscription.next();
    positions.push(subscription.position);
  }
  expect(positions).toEqual([
    ['e.1', 1],
    ['e.1', 2],
    ['f.1', 0],
    ['f.1', 1],
  ]);
  connection(stub).close();
}, 5000);

test('a callback of map() over what has arrived may return results inside of data', async () => {
  const stub = connectInMemory(new Target()) as Any;
  const list = stub.list();
  await list;
  expect(await list.map((room: Any) => ({ name: room.name }))).toEqual([{ name: 'a' }, { name: 'b' }]);
});

test('what was sent in a frame that the server cannot read is not sent again', async () => {
  const line = new Line(new Target());
  const stub = line.connect();
  await stub.title;
  const p = failure(stub.never());
  await ticks(1);
  line.cut(1007, 'MALFORMED_FRAME: x');
  expect(((await Promise.race([p, ticks(300)])) as Any)?.code).toBe('OUTCOME_UNKNOWN');
  expect(line.up.filter((m) => m.includes('never'))).toHaveLength(1);
  await stub.title;
});

test('an answer behind an event counts though the connection ends behind it', async () => {
  const line = script();
  const { stub } = line;
  const p = stub.watch();
  void p.then(() => {});
  await ticks();
  line.events.received('[-1,{"$":{"$topic":["t",["e",0]]}}]');
  await p;
  const q = failure(stub.call());
  await ticks();
  line.events.received('{"topic":"t","first":["e",1],"events":["hello"]}');
  line.events.received('{"topic":"t","first":["e",2],"events":["hello"]}');
  line.events.received('[-2,"answer"]');
  line.events.closed(1006, '');
  expect(await q).toEqual('resolved');
  connection(stub).close();
});

test('a connection is left as soon as what is under way was given up', async () => {
  const line = new Line(new Target());
  const stub = line.connect();
  await stub.title;
  const given = failure(withOptions(stub, { timeoutMs: 30 }).never());
  await ticks(2);
  line.session.drain();
  await ticks(2);
  const next = failure(stub.title);
  expect((await given).code).toBe('TIMED_OUT');
  expect(await next).toBe('resolved');
  expect(line.sessions.length).toBe(2);
  connection(stub).close();
}, 5000);

test('a call whose argument closes the connection rejects', async () => {
  const stub = new Line(new Target()).connect({ maxWaitMs: Infinity });
  await stub.title;
  const argument = {
    get closes() {
      connection(stub).close();
      return 1;
    },
  };
  expect((await failure(stub.echo(argument))).code).toBe('NOT_EXECUTED');
}, 5000);

test('a call that was given up does not run after a notice that it has not run', async () => {
  const target = new Target();
  const line = new Line(target);
  const stub = line.connect();
  await stub.title;
  const given = failure(withOptions(stub, { timeoutMs: 20 }).echo('given up'));
  const wanted = failure(stub.echo('wanted'));
  const { session } = line;
  session.receive = () => {}; // it is late
  expect((await given).code).toBe('TIMED_OUT');
  session.drain(2);
  expect(await wanted).toBe('resolved');
  expect(target.ran).toEqual(['wanted']);
  connection(stub).close();
}, 5000);
