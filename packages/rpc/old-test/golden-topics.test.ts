import { readFileSync } from 'node:fs';
import { connectOver, RpcTarget, type SubscribeOptions, type Subscription, type TransportEvents } from '@lumenize/rpc';
import { afterEach, expect, test, vi } from 'vitest';
import { writeEvents } from '../src/protocol/topic.ts';
import { until } from './support/until.ts';
import { contentOf, exchangeOf, expected, messageOf, readLine, VECTORS } from './support/vectors.ts';

afterEach(() => void vi.restoreAllMocks());

/** What the client takes the server for; nothing of it is here. */
declare class Ticker extends RpcTarget {
  subscribe(options?: SubscribeOptions): Subscription<unknown>;
  subscribeTo(name: string, options?: SubscribeOptions): Subscription<unknown>;
  publish(event: unknown): number;
}

const [subscribing, publishing, consumed, resuming, unsubscribing, beyond, latest] = VECTORS.topics.map(exchangeOf);

/** The epoch of the golden frames. */
const EPOCH = 'k3x9f2.a81b0d';

/** How old a frame is when it is sent again, in milliseconds. */
const AGE_MS = 5;

/** A client whose server says what it is told to, and for which time passes only while it has no connection. */
function client() {
  const sent: string[] = [];
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  vi.spyOn(Date, 'now').mockReturnValue(0);
  let events: TransportEvents;
  const stub = connectOver<Ticker>(
    (given) => {
      events = given;
      queueMicrotask(() => given.opened());
      return {
        send: (frame) => sent.push(contentOf(frame)),
        close: () => {},
        probe: () => queueMicrotask(() => given.alive()),
      };
    },
    'a golden server',
    { reconnect: { minDelayMs: 0, maxDelayMs: 0 }, heartbeat: false },
  );
  const told = (frames: readonly string[]) => {
    for (const frame of frames) events.received(messageOf(frame));
  };
  const lose = () => {
    clock.mockReturnValue(AGE_MS);
    events.closed(1006, '');
  };
  return { stub, sent, told, lose, events: () => events };
}

test('a client says and understands the golden frames of topics', async () => {
  const { stub, sent, told, lose } = client();
  const subscribed = stub.subscribe({ since: [EPOCH, 1] });
  await until(() => sent.length === 1);
  told(subscribing.down);
  const subscription = await subscribed;
  const next = async () => (await subscription.next()).value;
  expect(await next()).toEqual({ sequence: 2, event: 'b' });
  expect(await next()).toEqual({ sequence: 3, event: 'c' });
  const published = stub.publish('d');
  await until(() => sent.length === 2);
  told(publishing.down);
  expect(await published).toBe(4);
  expect(await next()).toEqual({ sequence: 4, event: 'd' });
  lose();
  await until(() => sent.length === 3);
  told(resuming.down);
  expect(await next()).toEqual({ sequence: 5, event: 'e' });
  subscription[Symbol.dispose]();
  await until(() => sent.length === 4);
  expect(sent).toEqual([subscribing.up, publishing.up, resuming.up, unsubscribing.up]);
});

test('a client says what it has gone through as the golden frame does', async () => {
  const { stub, sent, told, events } = client();
  const subscribed = stub.subscribe({ since: [EPOCH, 1] });
  await until(() => sent.length === 1);
  told(subscribing.down);
  const subscription = await subscribed;
  await subscription.next();
  await subscription.next();
  const published = stub.publish('d');
  await until(() => sent.length === 2);
  told(publishing.down.slice(-1));
  await published;
  events().received(writeEvents('prices', [EPOCH, 4], Array(126).fill('"d"')));
  for (let count = 0; count < 126; count++) await subscription.next();
  await until(() => sent.length === 3);
  expect(sent[2]).toBe(consumed.up);
});

test('a subscription that ends at an event it cannot read takes nothing from the window of others', async () => {
  const { stub, sent, told } = client();
  const subscribed = [stub.subscribe(), stub.subscribe()];
  await until(() => sent.length === 1);
  told(['[1,{"$":[{"$topic":["prices",["a.b",1]]}]}]', '[2,{"$":[{"$topic":["prices",["a.b",2]]}]}]']);
  const [ends, goesOn] = await Promise.all(subscribed);
  const ended = expect(ends.next()).rejects.toThrow('Unknown');
  told([`[-6,"prices",["a.b",2],{"$":{"$Unknown":[1]}},${Array(127).fill('"d"')}]`]);
  await ended;
  for (let count = 0; count < 127; count++) expect((await goesOn.next()).value).toMatchObject({ event: 'd' });
  await until(() => sent.length === 2);
  expect(sent[1]).toBe('[3,[-6,"prices",128]]');
});

test('a client understands golden frames of gaps', async () => {
  const { stub, sent, told } = client();
  const calls: PromiseLike<number>[] = [];
  for (const { way, content } of VECTORS.topics[5].before!.map(readLine)) {
    if (way === 'up') calls.push(stub.publish('a'));
    else {
      await until(() => sent.length === calls.length);
      told([content]);
      await calls.at(-1);
    }
  }
  const since = stub.subscribeTo('prices', { since: ['q7w1zz.m20c4e', 9] });
  await until(() => sent.length === 3);
  told(beyond.down);
  const anew = await since;
  expect((await anew.next()).value).toEqual({ sequence: 0, missed: Number.POSITIVE_INFINITY });
  expect([(await anew.next()).value, anew.position]).toEqual([{ sequence: 1, event: 'a' }, [EPOCH, 1]]);
  const retained = stub.subscribeTo('latest', { since: 0 });
  await until(() => sent.length === 4);
  told(latest.down);
  expect((await (await retained).next()).value).toEqual({ sequence: 2, missed: 2 });
  expect(sent.slice(2)).toEqual([beyond.up, latest.up]);
});

/** All but what a test needs to know that it has heard all. */
const DOCUMENTED = VECTORS.topics.slice(0, -1);

test('the document quotes the golden frames of topics', () => {
  const text = readFileSync(new URL('../../../docs/protocol-topics.md', import.meta.url), 'utf8');
  const examples = text.slice(text.indexOf('## Examples'));
  const quoted = [...examples.matchAll(/^ {2}((?:up|down) +\S.*)$/gm)].map(([, line]) => readLine(line));
  expect(quoted).toEqual(DOCUMENTED.flatMap(({ frames }) => expected(frames)));
  for (const { name } of DOCUMENTED) expect(examples).toContain(`\n${name}`);
});
