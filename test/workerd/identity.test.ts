import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { type Connection, connection, type RpcError, type Stub, type TopicItem } from '@lumenize/rpc';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { IdentityObject, IdentityTarget } from './identity-object.ts';
import { connectToSelf } from './self-transport.ts';

const { IDENTITY } = env as unknown as { IDENTITY: DurableObjectNamespace<IdentityObject> };

/** A page of one person after the other. */
interface Page {
  readonly stub: Stub<IdentityTarget>;
  readonly connection: Connection;
  readonly name: string;
  /** What `token()` gives. */
  token: string | undefined;
  /** Makes the object do something. */
  inObject<Result>(job: (object: IdentityObject) => Result): Promise<Result>;
  evict(): Promise<void>;
}

let pages = 0;

/** Opens a page of Ada. After a loss the page connects again when it is told to. */
async function openPage(path = '/identified'): Promise<Page> {
  const name = `page ${++pages}`;
  const page = { token: 'Ada' as string | undefined };
  const stub = connectToSelf<IdentityTarget>(`${path}/identity/${name}`, {
    token: () => page.token as string,
    reconnect: { minDelayMs: 60_000, maxDelayMs: 60_000 },
    maxWaitMs: 5000,
  });
  const opened = connection(stub);
  onTestFinished(() => opened.close());
  expect(await stub.whoAmI()).toEqual(['Ada', 'Ada']);
  return Object.assign(page, {
    stub,
    connection: opened,
    name,
    inObject: <Result>(job: (object: IdentityObject) => Result) =>
      runInDurableObject(IDENTITY.getByName(name), job) as Promise<Result>,
    evict: () => evictDurableObject(IDENTITY.getByName(name)),
  });
}

/** Ends the connection from the object's side. */
async function lose({ inObject, connection }: Page): Promise<void> {
  await inObject((object) => object.endConnections());
  await vi.waitUntil(() => connection.state === 'reconnecting');
}

/** Ends the object, as a crash or a deploy does, and connects again. */
async function crash({ inObject, connection }: Page): Promise<void> {
  await expect(
    inObject((object) => (object as unknown as { ctx: DurableObjectState }).ctx.abort('over')),
  ).rejects.toThrow();
  await vi.waitUntil(() => connection.state === 'reconnecting');
}

/** What a call came to: its value, or the code of its error. */
async function outcome(call: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(call).then(
    (value) => value,
    (error: RpcError) => error.code ?? String(error),
  );
}

/** Reads a subscription until it ends. Resolves with the events, and with the code of the error that ended it. */
function follow(subscription: AsyncIterable<TopicItem<string>>): { items: string[]; end: Promise<unknown> } {
  const items: string[] = [];
  const read = async () => {
    for await (const { event } of subscription as AsyncIterable<{ event: string }>) items.push(event);
  };
  return { items, end: outcome(read()) };
}

/** Waits for something that may not happen. */
function within<Value>(promise: Promise<Value>): Promise<Value | 'never'> {
  return Promise.race([promise, scheduler.wait(300).then(() => 'never' as const)]);
}

describe.each([
  ['undefined', undefined],
  ["''", ''],
])('a user who logs out, whose token is then %s', (title, token) => {
  test(`is refused where everybody has to be known, and subscriptions end (${title})`, async () => {
    const page = await openPage();
    const news = follow(await page.stub.subscribe());
    page.token = token;
    const left = outcome(page.connection.authenticate());
    expect(await within(left)).toBe('DENIED');
    expect(await within(news.end)).toBe('REFERENCE_LOST');
    expect(await page.inObject((object) => object.connected())).toEqual([]);
    expect(await outcome(page.stub.addAgain('later'))).toBe('DENIED');
    expect(await page.inObject((object) => object.notes())).toEqual([]);
  });
});

test('a user who logs out goes on as nobody where anybody may connect, and subscriptions end', async () => {
  const page = await openPage('/anyone');
  const news = follow(await page.stub.subscribe());
  page.token = undefined;
  expect(await within(outcome(page.connection.authenticate()))).toBe(undefined);
  expect(await page.stub.whoAmI()).toEqual(['nobody', 'nobody']);
  await page.stub.publish('for those who stay');
  expect(await within(news.end)).toBe('REFERENCE_LOST');
  expect(news.items).toEqual([]);
  expect(await page.inObject((object) => object.connected())).toEqual(['nobody']);
});

test('an empty token is a mistake, and lets in nobody, not even where anybody may connect', async () => {
  const page = await openPage('/anyone');
  page.token = '';
  expect(await within(outcome(page.connection.authenticate()))).toBe('DENIED');
});

describe('a connection', () => {
  test('does not run calls that waited under another identity', async () => {
    const page = await openPage();
    await lose(page);
    const calls = [page.stub.add('default'), page.stub.addAgain('idempotent'), page.stub.addOnce('once')].map(outcome);
    page.token = 'Bob';
    page.connection.open();
    expect(await Promise.all(calls)).toEqual(['NOT_EXECUTED', 'NOT_EXECUTED', 'NOT_EXECUTED']);
    expect(await page.stub.whoAmI()).toEqual(['Bob', 'Bob']);
    expect(await page.inObject((object) => object.notes())).toEqual([]);
  });

  test('does not run calls that were in flight under another identity', async () => {
    const page = await openPage();
    const call = outcome(page.stub.hang('in flight'));
    await vi.waitUntil(
      async () => (await page.stub.whoAmI()) && (await page.inObject((object) => object.notes())).length,
    );
    await crash(page);
    page.token = 'Bob';
    page.connection.open();
    expect(await within(call)).toBe('OUTCOME_UNKNOWN');
    expect(await page.stub.whoAmI()).toEqual(['Bob', 'Bob']);
    expect(await page.inObject((object) => object.notes())).toEqual(['in flight by Ada']);
  });

  test('serves another user who logs in as a new session', async () => {
    const page = await openPage();
    const place = await page.stub.place('hall');
    page.token = 'Bob';
    const before = page.stub.addAgain('before');
    const renewed = page.connection.authenticate();
    const meanwhile = outcome(page.stub.addAgain('meanwhile'));
    expect(await outcome(renewed)).toBe(undefined);
    // What was under way has settled before; what was made until then was made by Ada.
    expect(await before).toBe(1);
    expect(await meanwhile).toBe('NOT_EXECUTED');
    expect(await page.stub.addAgain('after')).toBe(2);
    expect(await page.stub.whoAmI()).toEqual(['Bob', 'Bob']);
    expect(await outcome(place.enter())).toBe('REFERENCE_LOST');
    expect(await page.inObject((object) => object.notes())).toEqual(['before by Ada', 'after by Bob']);
    expect(page.connection.statistics.reconnects).toBe(1);
  });

  test('does not hand a place of one user to the next', async () => {
    const page = await openPage();
    const place = await page.stub.place('hall');
    page.token = 'Bob';
    await outcome(page.connection.authenticate());
    await page.evict();
    expect(await page.stub.whoAmI()).toEqual(['Bob', 'Bob']);
    expect(await outcome(place.enter())).toBe('REFERENCE_LOST');
    expect(await page.inObject((object) => object.notes())).toEqual([]);
  });

  test('ends the subscriptions of one user before the next is served', async () => {
    const page = await openPage();
    const news = follow(await page.stub.subscribe());
    page.token = 'Bob';
    await outcome(page.connection.authenticate());
    expect(await page.stub.whoAmI()).toEqual(['Bob', 'Bob']);
    await page.stub.publish('for Bob');
    expect(await within(news.end)).toBe('REFERENCE_LOST');
    expect(news.items).toEqual([]);
  });

  test('goes on with what the same user has', async () => {
    const page = await openPage();
    const news = follow(await page.stub.subscribe());
    await page.connection.authenticate();
    await page.stub.publish('for Ada');
    await vi.waitUntil(() => news.items.length > 0);
    await lose(page);
    const waited = page.stub.addAgain('waited');
    page.connection.open();
    expect(await waited).toBe(1);
    expect(await page.inObject((object) => object.notes())).toEqual(['waited by Ada']);
  });
});

test('a server ends one subscription, with a reason, and the connection goes on', async () => {
  const page = await openPage();
  const first = follow(await page.stub.subscribe());
  await page.inObject((object) => object.unsubscribe('Ada'));
  expect(await within(first.end)).toBe('DENIED');
  // It is not made again by what the client does later, and another one may be made.
  await lose(page);
  page.connection.open();
  const second = follow(await page.stub.subscribe());
  await page.stub.publish('event');
  await vi.waitUntil(() => second.items.length > 0);
  expect([first.items, second.items]).toEqual([[], ['event']]);
  expect(page.connection.state).toBe('open');
});
