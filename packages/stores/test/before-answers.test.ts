import { connectOver, type Subscription, type TransportEvents } from '@lumenize/rpc';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { subscriptionStore } from '../src/subscriptions.ts';

interface Room {
  read(): Subscription<string>;
  say(): number;
}

beforeEach(() => vi.stubGlobal('window', {}));
afterEach(() => void vi.unstubAllGlobals());

/** A client whose server says what it is told to. */
function client() {
  const sent: string[] = [];
  let events: TransportEvents;
  const stub = connectOver<Room>(
    (given) => {
      events = given;
      queueMicrotask(() => given.opened());
      return { send: (frame) => void sent.push(String(frame)), close() {} };
    },
    'a server in a test',
    { heartbeat: false },
  );
  const told = (...frames: string[]) => {
    for (const frame of frames) events.received(frame);
  };
  return { stub, sent, told };
}

/** A store that reads a topic from its beginning, and what happens in order. */
async function follow() {
  const { stub, sent, told } = client();
  const log: string[] = [];
  const store = subscriptionStore(() => stub.read(), { onItem: ({ sequence }) => log.push(`item ${sequence}`) });
  const stop = store.subscribe(() => log.push(`${store.get().items.length} shown`));
  await until(() => sent.length === 1);
  told('[-1,{"$":{"$topic":["said",["a.b",0]]}}]');
  await until(() => !store.get().isPending);
  log.length = 0;
  return { stub, sent, told, log, store, stop };
}

test.each([1, 5])(
  '%d items of a frame are shown once, and before the call that published them is answered',
  async (count) => {
    const { stub, sent, told, log, store, stop } = await follow();
    const answered = stub.say().then(() => log.push('answered'));
    await until(() => sent.length === 2);
    const events = Array.from({ length: count }, (_, place) => `"${place + 1}"`);
    // In one task, as sockets in Node hand over what has arrived together.
    told(`{"topic":"said","first":["a.b",1],"events":[${events}]}`, '[-2,1]');
    await answered;
    const items = events.map((_, place) => `item ${place + 1}`);
    expect(log).toEqual([`${count} shown`, ...items, 'answered']);
    expect(store.get()).toMatchObject({ latest: String(count), position: ['a.b', count] });
    stop();
    (stub as Partial<Disposable>)[Symbol.dispose]?.();
  },
);

test('an item that cannot be read ends the subscription with its error, after those before it', async () => {
  const { stub, told, log, store } = await follow();
  told('{"topic":"said","first":["a.b",1],"events":["a",{"$":{"$Unknown":[1]}},"c"]}');
  await until(() => store.get().error !== undefined);
  expect(log).toEqual(['1 shown', 'item 1']);
  expect(String(store.get().error)).toContain('Unknown');
  (stub as Partial<Disposable>)[Symbol.dispose]?.();
});

test('a topic that began anew is shown from its beginning, also if the subscription ignores where it was', async () => {
  const { stub, sent, told, store, stop } = await follow();
  told('{"topic":"said","first":["a.b",1],"events":["a","b","c"]}');
  await until(() => store.get().latest === 'c');
  stop();
  const stopAgain = store.subscribe(() => {});
  await until(() => sent.length > 1 && sent.at(-1)!.includes('read'));
  const id = JSON.parse(sent.at(-1)!)[0];
  told(`[-${id},{"$":{"$topic":["said",["z.x",0]]}}]`, '{"topic":"said","first":["z.y",1],"events":["new"]}');
  await until(() => !store.get().isPending);
  expect(store.get().items.map(({ event }) => event)).toEqual(['a', 'b', 'c', 'new']);
  stopAgain();
  (stub as Partial<Disposable>)[Symbol.dispose]?.();
});
