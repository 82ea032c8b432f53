import { beforeEach, expect, test, vi } from 'vitest';
import { RpcTarget } from '../src/memory.ts';
import { serveOver } from '../src/server/session.ts';
import { memoryTransport } from '../src/transport/memory.ts';
import { until } from './support/until.ts';

// The server is of this file's own modules, where everything is there; each client is of new ones, where nothing is.

class Api extends RpcTarget {
  readonly noted: unknown[] = [];

  note(value: unknown): number {
    return this.noted.push(value);
  }

  tell(listener: (text: string) => unknown): unknown {
    this.noted.push('tell');
    return listener('hello');
  }

  within(): Api {
    this.noted.push('within');
    return this;
  }

  list(): number[] {
    return [1, 2, 3];
  }

  double(value: number): number {
    return value * 2;
  }

  async *count(): AsyncGenerator<number> {
    yield 1;
    yield 2;
  }
}

async function freshClient() {
  vi.resetModules();
  const [{ connectOver, connection }, features, { RECORDER }] = await Promise.all([
    import('../src/index.ts'),
    import('../src/session/features.ts'),
    import('../src/session/outgoing/recording-feature.ts'),
  ]);
  const target = new Api();
  const open = memoryTransport((channel) => serveOver(channel, target));
  const stub = connectOver<Api>(open, 'a target', { maxWaitMs: 0 });
  return { ...features, RECORDER, connection, target, stub };
}

let client: Awaited<ReturnType<typeof freshClient>>;
beforeEach(async () => {
  client = await freshClient();
});

test('who only calls loads no part', async () => {
  const { stub, ANSWERING, CHANNELS, RECORDER } = client;
  expect(await stub.note({ any: [1, new Map(), new Date(0)] })).toBe(1);
  await expect((stub as unknown as { no(): Promise<void> }).no()).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
  expect([ANSWERING, CHANNELS, RECORDER].map(({ loaded }) => loaded)).toEqual([undefined, undefined, undefined]);
});

test('calls of a turn keep their order where one has to wait for a part, and share a frame', async () => {
  const { stub, target, connection } = client;
  const heard: string[] = [];
  const args = { changed: false };
  const calls = [stub.note(1), stub.tell((text) => heard.push(text)), stub.note(args), stub.note(3)];
  args.changed = true;
  const late = Promise.resolve().then(() => stub.note(4));
  await Promise.all([...calls, late]);
  expect(target.noted).toEqual([1, 'tell', { changed: false }, 3, 4]);
  expect(heard).toEqual(['hello']);
  // One of calls, and one that answers the callback.
  expect(connection(stub).statistics.framesSent).toBeLessThanOrEqual(3);
});

test('a chain behind a call that has to wait for a part shares its frame, and no step of it is answered', async () => {
  const { stub, target, connection } = client;
  const calls = [stub.tell((text) => text), stub.within().within().note('chained')];
  expect(await Promise.all(calls)).toEqual(['hello', 4]);
  expect(target.noted).toEqual(['tell', 'within', 'within', 'chained']);
  expect(connection(stub).statistics).toMatchObject({ framesSent: 2, framesReceived: 2, imports: 0 });
});

test('a step of a chain that had to wait is answered where it is awaited, also later', async () => {
  const { stub, connection } = client;
  const told = stub.tell((text) => text);
  const step = stub.within();
  const chained = step.note('chained');
  const awaited = stub.within();
  const [, within] = await Promise.all([chained, awaited, awaited.note('awaited'), told]);
  expect(await within.note('behind')).toBe(6);
  within[Symbol.dispose]();
  const late = await step;
  expect(await late.note('late')).toBe(7);
  late[Symbol.dispose]();
  step[Symbol.dispose]();
  expect(connection(stub).statistics.imports).toBe(0);
});

test('calls keep their order where two have to wait, for one thing each', async () => {
  const { stub, target, ANSWERING, BEYOND } = client;
  const settled = stub.list();
  await settled;
  const load = ANSWERING.load.bind(ANSWERING);
  const mayLoad = Promise.withResolvers<void>();
  vi.spyOn(ANSWERING, 'load').mockImplementation(() => mayLoad.promise.then(load));
  const blob = new Blob(['first']);
  const first = stub.note(blob);
  const second = settled[0].then((value) => value);
  const third = stub.note('third');
  await until(() => BEYOND.loaded !== undefined);
  await blob.arrayBuffer();
  await new Promise(setImmediate);
  const fourth = stub.note('fourth');
  await new Promise(setImmediate);
  mayLoad.resolve();
  expect(await Promise.all([first, second, third, fourth])).toEqual([1, 1, 2, 3]);
  expect(target.noted.slice(1)).toEqual(['third', 'fourth']);
});

test('a callback of map is recorded when that is loaded, and its list still does not travel', async () => {
  const { stub, connection } = client;
  expect(await stub.list().map((value) => stub.double(value))).toEqual([2, 4, 6]);
  expect(connection(stub).statistics.framesSent).toBe(1);
});

test('what arrives behind a frame that has to wait waits too', async () => {
  const { stub, CHANNELS } = client;
  const settled: string[] = [];
  const counted = stub.count().then((values) => {
    settled.push('count');
    return values;
  });
  const noted = stub.note(1).then(() => settled.push('note'));
  const read: number[] = [];
  for await (const value of await counted) read.push(value);
  await noted;
  expect(read).toEqual([1, 2]);
  expect(settled).toEqual(['count', 'note']);
  expect(CHANNELS.loaded).toBeDefined();
});

test('a call whose part cannot be loaded was not executed; those beside it are, and it works the next time', async () => {
  const { stub, target, ANSWERING } = client;
  vi.spyOn(ANSWERING, 'load').mockRejectedValueOnce(new Error('offline'));
  const calls = [stub.note(1), stub.tell(() => 'unheard'), stub.note(2)];
  const [before, failed, after] = await Promise.allSettled(calls);
  expect([before.status, after.status]).toEqual(['fulfilled', 'fulfilled']);
  const reason = { code: 'NOT_EXECUTED', retryable: true, message: expect.stringContaining('offline') };
  expect(failed).toMatchObject({ status: 'rejected', reason });
  expect(target.noted).toEqual([1, 2]);
  expect(await stub.tell((text) => text.length)).toBe(5);
});

test('a map whose recorder cannot be loaded fails alone, and works the next time', async () => {
  const { stub, RECORDER } = client;
  vi.spyOn(RECORDER, 'load').mockRejectedValueOnce(new Error('offline'));
  const list = stub.list();
  const [mapped, listed] = await Promise.allSettled([list.map((value) => stub.double(value)), stub.list()]);
  expect(mapped).toMatchObject({ status: 'rejected', reason: { code: 'NOT_EXECUTED' } });
  expect(listed).toMatchObject({ status: 'fulfilled', value: [1, 2, 3] });
  expect(await stub.list().map((value) => stub.double(value))).toEqual([2, 4, 6]);
});

test('where what arrives cannot be read, its calls are in doubt, and the next ones are made', async () => {
  const { stub, CHANNELS } = client;
  vi.spyOn(CHANNELS, 'load').mockRejectedValueOnce(new Error('offline'));
  const outcomes = await Promise.allSettled([stub.count(), stub.note(1)]);
  const reason = { code: 'OUTCOME_UNKNOWN', message: expect.stringContaining('offline') };
  expect(outcomes).toMatchObject(outcomes.map(() => ({ status: 'rejected', reason })));
  const read: number[] = [];
  for await (const value of await stub.count()) read.push(value);
  expect(read).toEqual([1, 2]);
});
