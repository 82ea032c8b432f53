import { connect, connection } from '@lumenize/rpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServedWorker } from '../support/workerd.ts';
import { serveContract } from './serve.ts';

let worker: ServedWorker;
let instance = 0;

beforeAll(async () => {
  worker = await serveContract();
});

afterAll(() => worker?.[Symbol.asyncDispose]());

/** Connects as whoever the token says: a name, and how long the identity lasts in milliseconds. */
// biome-ignore lint/suspicious/noExplicitAny: the types of clients come with the switch
function connectAs(token: () => string | undefined): any {
  const url = worker.url(`/rpc/who/w${++instance}`);
  return connect(url, { token, reconnect: { minDelayMs: 10, maxDelayMs: 50 } });
}

/** Ends the connection from the server, and resolves when the client has noticed. */
function lose(who: { cut(): Promise<void> }): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = connection(who).onStateChange((state) => {
    if (state !== 'reconnecting') return;
    stop();
    resolve();
  });
  who.cut().catch(() => {});
  return promise;
}

test('the caller is who the token says', async () => {
  using who = connectAs(() => 'ada');
  expect(await who.name()).toBe('ada');
});

test('calls go on when an identity has expired: the client comes back with a new token', async () => {
  let tokens = 0;
  using who = connectAs(() => {
    tokens++;
    return 'ada 300';
  });
  expect(await who.name()).toBe('ada');
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(await Promise.all([who.name(), who.ranOnce()])).toEqual(['ada', 1]);
  expect(tokens).toBe(2);
});

test('what waits under one identity never runs under another', async () => {
  let user: string | undefined = 'ada';
  using who = connectAs(() => user);
  expect(await who.name()).toBe('ada');
  const place = await who.room('a');
  expect(await place.name()).toBe('ada in a');
  user = 'bob';
  const running = who.never();
  await lose(who);
  const waiting = who.name();
  await expect(waiting).rejects.toMatchObject({ code: 'NOT_EXECUTED' });
  await expect(running).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect(await who.name()).toBe('bob');
  await expect(place.name()).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
});

test('logging out ends the session: nothing goes on as who was logged in', async () => {
  let user: string | undefined = 'ada';
  using who = connectAs(() => user);
  expect(await who.name()).toBe('ada');
  user = undefined;
  await lose(who);
  // One that waits for the attempt, and one after it.
  await expect(who.name()).rejects.toMatchObject({ code: 'DENIED' });
  await expect(who.name()).rejects.toMatchObject({ code: 'DENIED' });
  expect(connection(who).state).toBe('closed');
});

test('the same identity by another token goes on', async () => {
  let tokens = 0;
  using who = connectAs(() => `ada ${60_000 + tokens++}`);
  const place = await who.room('b');
  await lose(who);
  expect(await who.name()).toBe('ada');
  expect(await place.name()).toBe('ada in b');
});

test('authenticate() shows a new token, and what is under way settles before', async () => {
  let user = 'ada';
  using who = connectAs(() => user);
  const slow = who.slow();
  expect(await who.name()).toBe('ada');
  await connection(who).authenticate();
  expect(await slow).toBe('ada');
  expect(await who.name()).toBe('ada');
  user = 'bob';
  await connection(who).authenticate();
  expect(await who.name()).toBe('bob');
});
