import { connection, withOptions } from '@lumenize/rpc';
import { RpcTarget } from '@lumenize/rpc/memory';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Line } from './support/line.ts';

// biome-ignore lint/suspicious/noExplicitAny: stubs are called as untyped code does, too
type Any = any;

class Order extends RpcTarget {
  readonly #id: number;
  constructor(id: number) {
    super();
    this.#id = id;
  }
  get id(): number {
    return this.#id;
  }
  get customer(): Order {
    return new Order(this.#id + 1);
  }
}

class Target extends RpcTarget {
  static readonly rpc = {
    read: { idempotent: true },
    slowly: { idempotent: true },
    file: { idempotent: true },
    once: { exactlyOnce: true },
    place: { restorable: true },
  };
  /** What has run, in order. */
  readonly #ran: unknown[];
  readonly #waiting: (() => void)[];
  constructor(ran: unknown[], waiting: (() => void)[]) {
    super();
    this.#ran = ran;
    this.#waiting = waiting;
  }
  read(tag: unknown): unknown {
    this.#ran.push(tag);
    return tag;
  }
  get made(): number {
    return this.#ran.push('made') - 1;
  }
  plain(tag: unknown): unknown {
    return this.read(tag);
  }
  once(tag: unknown): unknown {
    return this.read(tag);
  }
  async slowly(tag: unknown): Promise<unknown> {
    this.#ran.push(tag);
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return tag;
  }
  data() {
    this.#ran.push('data');
    return { deep: { name: 'Ada', city: 'London' }, list: [1, 2] };
  }
  order(id = 1): Order {
    this.#ran.push('order');
    return new Order(id);
  }
  fails(): Order {
    throw new RangeError('no order');
  }
  place(id: number): Order {
    return new Order(id);
  }
  async asks(question: () => Promise<unknown>): Promise<unknown> {
    return question();
  }
  file(): unknown {
    return { file: new Blob(['contents']), beside: 'it' };
  }
  large(length: number): string {
    return 'x'.repeat(length);
  }
  async *count(to: number) {
    for (let n = 0; n < to; n++) {
      yield n;
      if (n === 2) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

let ran: unknown[] = [];
/** What lets methods of the target go on that wait. */
let waiting: (() => void)[] = [];
const opened: Any[] = [];

function setup(options?: Parameters<Line['connect']>[0], server?: ConstructorParameters<typeof Line>[1]) {
  ran = [];
  waiting = [];
  const line = new Line(new Target(ran, waiting), server);
  const stub = line.connect(options);
  opened.push(stub);
  return { line, stub };
}

afterEach(() => {
  vi.useRealTimers();
  for (const stub of opened.splice(0)) connection(stub).close();
});

function abortable() {
  const controller = new AbortController();
  return { controller, signal: controller.signal };
}

/** Lets everything happen that is ready. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 2));
/** The code with which a call rejects, or what it returns. */
const outcome = async (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    (value) => value,
    (error) => error.code ?? error,
  );
const callsOf = ({ up }: Line) => up.filter((message) => message.startsWith('['));
const until = (holds: () => boolean) => vi.waitUntil(holds, { timeout: 5000, interval: 1 });

test('a getter is read each time that it is awaited', async () => {
  const { stub } = setup();
  expect([await stub.made, await stub.made, await stub.made]).toEqual([0, 1, 2]);
});

describe('what is in the middle of a chain', () => {
  test('is used in a later turn where it stays, and is made once', async () => {
    const { stub } = setup();
    const { deep } = stub.data();
    expect(await deep.name).toBe('Ada');
    expect(await deep.city).toBe('London');
    const { customer } = stub.order(5);
    expect(await customer.id).toBe(6);
    expect(await customer.customer.id).toBe(7);
    expect(ran).toEqual(['data', 'order']);
  });

  test('is passed in a later turn', async () => {
    const { stub } = setup();
    const data = stub.data();
    expect(await data.deep.name).toBe('Ada');
    expect(await stub.plain(data)).toMatchObject({ list: [1, 2] });
    expect(ran.filter((tag) => tag === 'data')).toHaveLength(1);
  });

  test('is lost behind a thousand others, and the error says to await it', async () => {
    const { stub } = setup();
    const early = stub.order(1);
    expect(await early.customer.id).toBe(2);
    const kept = stub.order(3);
    expect(await kept.customer.id).toBe(4);
    await Promise.all(Array.from({ length: 999 }, async () => await stub.order(9).id));
    expect(await kept.id).toBe(3);
    const failed = await early.id.catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'REFERENCE_LOST', message: expect.stringContaining('await it') });
    expect(connection(stub).state).toBe('open');
  });

  test('rejects in later turns with what its own call has failed with', async () => {
    const { stub } = setup();
    const order = stub.fails();
    await expect(order.customer.id).rejects.toThrow(new RangeError('no order'));
    await expect(order.id).rejects.toThrow(new RangeError('no order'));
  });
});

describe('a frame that uses its connection', () => {
  test('and is lost before it leaves, has not run', async () => {
    const { line, stub } = setup();
    await stub.read(1);
    const call = outcome(stub.asks(async () => 1));
    const beside = outcome(stub.plain(2));
    line.cut();
    expect(await Promise.all([call, beside])).toEqual(['NOT_EXECUTED', 'NOT_EXECUTED']);
    await settle();
    expect(ran).toEqual([1]);
    expect(await stub.asks(async () => 3)).toBe(3);
  });

  test('and is lost after it was sent, may have run, and is not sent again', async () => {
    const { line, stub } = setup();
    await stub.read(1);
    line.losesDown = (message) => message.includes('"asked"');
    const call = outcome(stub.asks(async () => 'asked'));
    const beside = outcome(stub.slowly('beside'));
    expect(await Promise.all([call, beside])).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN']);
    line.losesDown = () => false;
    expect(await stub.read(4)).toBe(4);
    expect(line.up.some((message) => message.startsWith('{"again"'))).toBe(false);
    expect(ran.filter((tag) => tag === 'beside').length).toBeLessThanOrEqual(1);
  });

  test('and is written while there is no connection, waits for one', async () => {
    const { line, stub } = setup();
    line.isDown = true;
    const call = stub.asks(async () => 'late');
    await settle();
    line.isDown = false;
    expect(await call).toBe('late');
  });
});

describe('a frame that was sent and has no answer', () => {
  test('is sent again with the ids that have none, and runs what may run again', async () => {
    const { line, stub } = setup();
    await stub.read('first');
    let lost = 0;
    line.losesDown = (message) => message.includes('"b"') && lost++ === 0;
    const calls = [outcome(stub.read('b')), outcome(stub.plain('c')), outcome(stub.once('d'))];
    expect(await Promise.all(calls)).toEqual(['b', 'OUTCOME_UNKNOWN', 'd']);
    expect(ran.filter((tag) => tag !== 'first')).toEqual(['b', 'c', 'd', 'b']);
    expect(line.up.find((message) => message.startsWith('{"again"'))).toMatch(
      /^\{"again":\[2,.*\],"open":\[2,3,4\],"ms":\d+\}$/,
    );
  });

  test('is sent three times, and then its outcome is unknown', async () => {
    const { line, stub } = setup();
    line.losesUp = (message) => message.includes('poison');
    expect(await outcome(stub.read('poison'))).toBe('OUTCOME_UNKNOWN');
    expect(line.sessions).toHaveLength(3);
    expect(await stub.read('well')).toBe('well');
    expect(ran).toEqual(['well']);
  });

  test('runs again although its answer waited for a Blob', async () => {
    const { line, stub } = setup();
    let lost = 0;
    line.losesDown = (message) => message === 'bytes' && lost++ === 0;
    const { file, beside } = await stub.file();
    expect([await file.text(), beside, lost]).toEqual(['contents', 'it', 2]);
  });
});

describe('calls that wait', () => {
  test('and are given up, are not made: those beside them are', async () => {
    const { line, stub } = setup();
    line.isDown = true;
    const controller = new AbortController();
    const [a, b, c] = [
      outcome(stub.read('a')),
      outcome(withOptions(stub, { signal: controller.signal }).read('b')),
      outcome(stub.read('c')),
    ];
    await settle();
    controller.abort();
    expect(await b).toBe('CANCELLED');
    line.isDown = false;
    expect(await Promise.all([a, c])).toEqual(['a', 'c']);
    expect(ran).toEqual(['a', 'c']);
    expect(line.up.some((message) => message.includes('cancel'))).toBe(false);
  });

  test('and are given up together, are taken out of their frame together', async () => {
    const { line, stub } = setup();
    line.isDown = true;
    const { signal, controller } = abortable();
    const calls = Array.from({ length: 500 }, (_, n) => outcome(withOptions(stub, { signal }).plain(n)));
    const left = outcome(stub.plain('left'));
    await settle();
    const parse = vi.spyOn(JSON, 'parse');
    controller.abort();
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['CANCELLED']));
    line.isDown = false;
    expect(await left).toBe('left');
    // A frame of 500 calls takes as long to read as 500 frames of one.
    const long = parse.mock.calls.filter(([text]) => text.length > 1000);
    parse.mockRestore();
    expect(long.length).toBeLessThan(5);
    expect(ran).toEqual(['left']);
  });

  test('and use one that was given up, fail with it', async () => {
    const { line, stub } = setup();
    line.isDown = true;
    const controller = new AbortController();
    const used = withOptions(stub, { signal: controller.signal }).order();
    const call = outcome(stub.plain(used));
    await settle();
    controller.abort();
    line.isDown = false;
    expect(await call).toBe('CANCELLED');
    expect(ran).toEqual([]);
  });

  test('for as long as it takes are not gone through for each further one', async () => {
    const { line, stub } = setup({ maxWaitMs: Infinity });
    line.isDown = true;
    const calls: unknown[] = [];
    const set = vi.spyOn(Map.prototype, 'set');
    for (let n = 0; n < 200; n++) {
      calls.push(outcome(stub.read(n)));
      for (let job = 0; job < 10; job++) await undefined; // a frame of its own
    }
    const count = set.mock.calls.length;
    set.mockRestore();
    expect(count).toBeLessThan(2000);
    line.isDown = false;
    expect(await Promise.all(calls)).toEqual(Array.from(calls, (_, n) => n));
  });

  test('are limited in number, and in bytes', async () => {
    const { line, stub } = setup({ maxQueuedCalls: 2, maxQueuedBytes: 1000 });
    line.isDown = true;
    const calls = [stub.read(1), stub.read(2)].map(outcome);
    expect(await outcome(stub.read(3))).toBe('OVERLOADED');
    line.isDown = false;
    expect(await Promise.all(calls)).toEqual([1, 2]);
    const { line: other, stub: bytes } = setup({ maxQueuedBytes: 1000 });
    other.isDown = true;
    const first = outcome(bytes.read('first'));
    await settle();
    expect(await outcome(bytes.read('x'.repeat(1000)))).toBe('OVERLOADED');
    other.isDown = false;
    expect(await first).toBe('first');
    expect(ran).toEqual(['first']);
  });

  test('for as long as maxWaitMs reject: what was sent may have run, and what was not has not', async () => {
    const { line, stub } = setup({ maxWaitMs: 60 });
    await stub.read(0);
    const sent = outcome(stub.slowly('sent'));
    await until(() => waiting.length === 1);
    line.isDown = true;
    line.cut();
    const unsent = outcome(stub.read('unsent'));
    expect(await Promise.all([sent, unsent])).toEqual(['OUTCOME_UNKNOWN', 'NOT_EXECUTED']);
    line.isDown = false;
    expect(await outcome(stub.read('next'))).toBe('next');
    expect(ran).toEqual([0, 'sent', 'next']);
  });

  test('go out in order, behind what was sent before', async () => {
    const { line, stub } = setup();
    await stub.read(0);
    line.losesDown = (message) => message.includes('"sent"');
    const sent = stub.read('sent');
    line.isDown = true;
    await until(() => connection(stub).state !== 'open');
    line.losesDown = () => false;
    const calls = ['a', 'b'].map((tag) => stub.read(tag));
    await settle();
    calls.push(stub.read('c'));
    line.isDown = false;
    expect(await Promise.all([sent, ...calls])).toEqual(['sent', 'a', 'b', 'c']);
    expect(ran).toEqual([0, 'sent', 'sent', 'a', 'b', 'c']);
  });
});

test('one number acknowledges what has settled, each 256 calls, and its rows are deleted', async () => {
  const { line, stub } = setup();
  for (let tag = 0; tag < 600; tag++) await stub.once(tag);
  expect(line.acknowledged).toEqual([256, 512]);
  expect(Math.min(...line.rows.keys())).toBe(512);
  expect(callsOf(line).filter((message) => /^\[\d+,\d+,/.test(message))).toEqual([
    '[256,256,["once",[255]]]',
    '[512,512,["once",[511]]]',
  ]);
  expect(ran).toHaveLength(600);
});

describe('a server that tells its clients to leave', () => {
  test('answers what is under way, and what was made meanwhile runs over the next connection', async () => {
    const { line, stub } = setup();
    await stub.read(0);
    const under = stub.slowly('under way');
    await until(() => waiting.length === 1);
    line.session.drain();
    await settle();
    const meanwhile = [stub.read('meanwhile'), stub.plain('as well')];
    await settle();
    expect(ran).toEqual([0, 'under way']);
    waiting[0]();
    expect(await Promise.all([under, ...meanwhile])).toEqual(['under way', 'meanwhile', 'as well']);
    expect(ran).toEqual([0, 'under way', 'meanwhile', 'as well']);
    expect(line.sessions).toHaveLength(2);
  });

  test('runs nothing from the id on that it tells, and the client makes that again', async () => {
    const { line, stub } = setup();
    await stub.read(0);
    const call = stub.plain('late');
    line.session.drain(2);
    expect(await call).toBe('late');
    expect([ran, line.sessions.length]).toEqual([[0, 'late'], 2]);
  });

  test.each([
    [200, 3],
    [0, 1],
  ])(
    'each time before it has answered is left alone for a while, and calls wait for %d ms',
    async (maxWaitMs, least) => {
      const { line, stub } = setup({ maxWaitMs, reconnect: { minDelayMs: 20, maxDelayMs: 20 } });
      line.losesUp = () => {
        line.session.drain(1);
        return false;
      };
      const calls = [outcome(stub.read('idempotent')), outcome(stub.plain('plain'))];
      expect(await Promise.all(calls)).toEqual(['NOT_EXECUTED', 'NOT_EXECUTED']);
      expect(ran).toEqual([]);
      expect(line.sessions.length).toBeGreaterThanOrEqual(least);
      expect(line.sessions.length).toBeLessThan(100);
      line.losesUp = () => false;
      expect(await stub.read('next')).toBe('next');
    },
  );

  test('ends streams, and who reads them is told', async () => {
    const { line, stub } = setup();
    const read: unknown[] = [];
    const reading = (async () => {
      for await (const n of await stub.count(10)) read.push(n);
    })();
    const failed = outcome(reading);
    await until(() => read.length === 3);
    line.session.drain();
    line.cut();
    expect(await failed).toBe('REFERENCE_LOST');
    expect(await stub.read('next')).toBe('next');
  });
});

test('the time that calls may wait begins when the connection is left, not before', async () => {
  const { line, stub } = setup({ heartbeat: false, reconnect: { minDelayMs: 50, maxDelayMs: 50 } });
  await stub.read(0);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const running = outcome(stub.slowly('under way'));
  await vi.advanceTimersByTimeAsync(1);
  line.session.drain();
  await vi.advanceTimersByTimeAsync(1);
  const meanwhile = outcome(stub.read('meanwhile'));
  line.isDown = true;
  // It is left after ten seconds, and calls may wait for as long.
  await vi.advanceTimersByTimeAsync(10_200);
  line.isDown = false;
  await vi.advanceTimersByTimeAsync(1000);
  expect(await meanwhile).toBe('meanwhile');
  for (const resolve of waiting) resolve();
  expect(await running).toBe('under way');
});

test('a client that learns how long its identity is valid while it leaves stays on the next connection', async () => {
  const { line, stub } = setup({ token: 'a token', heartbeat: false });
  await stub.read(0);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const under = stub.slowly('under way');
  await vi.advanceTimersByTimeAsync(1);
  const accepted = connection(stub).authenticate();
  line.session.signal('{"as":"a tag","ms":60000}');
  await vi.advanceTimersByTimeAsync(1);
  waiting[0]();
  expect(await under).toBe('under way');
  await accepted;
  expect(await stub.read('next')).toBe('next');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(line.sessions).toHaveLength(2);
});

describe('a silent connection', () => {
  const heartbeat = { intervalMs: 40, timeoutMs: 20 };

  test('is given up', async () => {
    const { line, stub } = setup({ heartbeat });
    await stub.read(0);
    line.isSilent = true;
    await until(() => connection(stub).statistics.reconnects > 0);
    expect(connection(stub).state).toBe('open');
  });

  test('is alive while the bytes of a message leave', async () => {
    const { line, stub } = setup({ heartbeat });
    await stub.read(0);
    line.isSilent = true;
    line.waiting = 1_000_000;
    const leaving = setInterval(() => {
      line.waiting -= 1000;
    }, 5);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(connection(stub).statistics.reconnects).toBe(0);
    clearInterval(leaving);
    await until(() => connection(stub).statistics.reconnects > 0);
  });

  test('is alive while a message arrives of which the server has told', async () => {
    const { line, stub } = setup({ heartbeat });
    await stub.read(0);
    line.isSilent = true;
    // 8 bytes a millisecond are life: this is one more second.
    line.session.signal('{"coming":8000}');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(connection(stub).statistics.reconnects).toBe(0);
  });
});

test.each([
  ['', 'lumenize.token.'],
  [undefined, undefined],
  [null, undefined],
])('a token that is %j is shown as %j', async (token, shown) => {
  const { line, stub } = setup({ token: () => token });
  await stub.place(5);
  expect(line.offers.at(-1)!.find((each) => each.startsWith('lumenize.token.'))).toBe(shown);
});

test('a token is asked for once for an attempt, whatever asks the client to connect', async () => {
  const given = Promise.withResolvers<string>();
  const token = vi.fn(() => given.promise);
  const { stub } = setup({ token });
  const call = stub.read(1);
  await settle();
  connection(stub).open();
  connection(stub).open();
  await settle();
  given.resolve('a token');
  expect(await call).toBe(1);
  expect(token).toHaveBeenCalledTimes(1);
});

test('another identity ends all that the one before had made', async () => {
  const { line, stub } = setup({ token: () => 'a token' });
  const place = await stub.place(5);
  line.session.signal('{"as":"ada"}');
  const sent = outcome(stub.slowly('sent'));
  await until(() => waiting.length === 1);
  line.isDown = true;
  line.cut();
  const unsent = outcome(stub.read('unsent'));
  await until(() => line.offers.length > 1);
  expect(line.offers.at(-1)).toContain('lumenize.as.ada');
  line.isDown = false;
  await until(() => line.sessions.length === 2);
  expect(await Promise.all([outcome(place.id)])).toEqual([5]);
  expect([await unsent, ran.includes('unsent')]).toEqual(['unsent', true]);
  // The server refuses whoever is another one by now.
  line.cut(4409, 'DENIED: another identity');
  expect(await Promise.all([sent, outcome(place.id)])).toEqual(['OUTCOME_UNKNOWN', 'REFERENCE_LOST']);
  expect(await stub.read('as another')).toBe('as another');
  expect(line.offers.at(-1)!.join()).not.toContain('lumenize.as.');
});

test('what waits for its arguments is not made under another identity', async () => {
  const { line, stub } = setup({ token: () => 'a token' });
  await stub.read('first');
  line.session.signal('{"as":"ada"}');
  const argument = Promise.withResolvers<string>();
  const call = outcome(stub.plain(argument.promise));
  await settle();
  line.cut(4409, 'DENIED: another identity');
  await until(() => line.sessions.length === 2);
  argument.resolve('of ada');
  expect(await call).toBe('NOT_EXECUTED');
  expect(await stub.read('of another')).toBe('of another');
  expect(ran).toEqual(['first', 'of another']);
});

test('a place outlives connections, and is written in front of each use', async () => {
  const { line, stub } = setup();
  const place = await stub.place(5);
  line.cut();
  expect(await Promise.all([place.id, place.customer.id])).toEqual([5, 6]);
  expect(callsOf(line).at(-1)).toBe('[2,["place",[5],"id"],["place",[5],"customer","id"]]');
});

test('a place is found again though references were passed beside it, and not if they were passed to it', async () => {
  const { line, stub } = setup();
  const [place] = await Promise.all([stub.place(5), stub.asks(async () => 1)]);
  line.cut();
  expect(await place.id).toBe(5);
  const bound = await stub.place(() => 5);
  expect(connection(stub).statistics.imports).toBe(1);
  line.cut();
  expect(await outcome(bound.id)).toBe('REFERENCE_LOST');
});

describe('a result that is larger than a message', () => {
  test('fails its call, and those beside it are answered', async () => {
    const { stub } = setup({}, { limits: { maxMessageBytes: 1000 } });
    const calls = [stub.read('before'), stub.large(2000), stub.read('behind')].map(outcome);
    expect(await Promise.all(calls)).toEqual(['before', 'TOO_LARGE', 'behind']);
    expect(connection(stub).state).toBe('open');
  });

  test('beside others goes in a message of its own', async () => {
    const { line, stub } = setup({}, { limits: { maxMessageBytes: 1000 } });
    const lengths = await Promise.all([600, 700, 800].map(async (length) => (await stub.large(length)).length));
    expect([lengths, line.down.length]).toEqual([[600, 700, 800], 3]);
  });
});

test('a connection that is closed ends all, with a reason for each', async () => {
  const { line, stub } = setup();
  await stub.read(0);
  const sent = outcome(stub.slowly('sent'));
  await until(() => waiting.length === 1);
  const written = outcome(stub.read('written'));
  connection(stub).close();
  // What was written left before the connection ended.
  expect(await Promise.all([sent, written, outcome(stub.read(1))])).toEqual([
    'OUTCOME_UNKNOWN',
    'OUTCOME_UNKNOWN',
    'NOT_EXECUTED',
  ]);
  expect(line.offers).toHaveLength(1);
});
