import { ReadableStream } from 'node:stream/web';
import { describe, expect, it } from 'vitest';
import { runBlock } from '../src/blocks/block.ts';
import type { Session, User } from '../src/gateway/gateway.ts';
import { CREATOR, LISTENER, tokensOf, verifyToken } from '../src/gateway/gateway.ts';
import { SCENARIOS, scenarioNamed } from '../src/scenarios/all.ts';
import { CALL_SCENARIOS, THROUGHPUT_SCENARIOS } from '../src/scenarios/counter.ts';
import { CARRIER_SCENARIOS, PIPELINE_SCENARIOS, SIZE_SCENARIOS } from '../src/scenarios/turns.ts';
import { type Subject, Unavailable } from '../src/subjects/subject.ts';
import type { Message, Work } from '../src/work/work.ts';
import { type Deliver, type Faults, localSubject, plainly, type Tell } from './support/local-subject.ts';

const namesOf = (scenarios: readonly { readonly name: string }[]) => scenarios.map(({ name }) => name);
const ONE_BY_ONE = namesOf([...PIPELINE_SCENARIOS, ...CARRIER_SCENARIOS, ...SIZE_SCENARIOS]);

const run = (name: string, subject: Subject, timeoutMs?: number) =>
  runBlock(scenarioNamed(name), subject, 'http://nowhere', 'a', { timeoutMs });

describe('a scenario', () => {
  it.each([...SCENARIOS.keys()])('%s runs, gives a time for each sample and closes what it opened', async (name) => {
    const { subject, state, receivers, listeners } = localSubject();
    const { totalMs, samplesMs } = await run(name, subject);
    const { sample, operations, audience = 0 } = scenarioNamed(name);
    expect([receivers.length, listeners.length]).toEqual([audience, name.includes('session') ? 5 : 0]);
    const perSample = { turn: Number(name.split('-').at(-1)), stream: 16, delivery: 1 / (audience || 5) };
    expect(samplesMs).toHaveLength(operations / (perSample[sample as keyof typeof perSample] ?? 1));
    expect(totalMs).toBeGreaterThan(0);
    expect(totalMs).toBeGreaterThan(Math.max(...samplesMs) - 1e-6);
    if (ONE_BY_ONE.includes(name)) expect(samplesMs.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(totalMs);
    expect(state.open).toBe(0);
  });

  it('of connecting opens a connection for each sample, and one with a forged token', async () => {
    const name = 'latency/connect-authenticate-first-result';
    const { subject, state } = localSubject();
    await run(name, subject);
    expect(state.gateways).toBe(scenarioNamed(name).operations + 1);
  });

  it('of latency is warmed up with calls of a gateway, and with sessions', async () => {
    const { subject, state, stored } = localSubject();
    expect((await run('warm-up/gateway', subject)).samplesMs.length).toBeGreaterThan(0);
    expect(stored.length).toBeGreaterThan(0);
    expect(state.open).toBe(0);
  });
});

/** A counter whose n-th increment, of all that are made, is `increment`. */
function increments(increment: (own: { value: number }, n: number) => number): Faults {
  let n = 0;
  return { counter: (own) => ({ increment: async () => increment(own, ++n) }) };
}
const losesOne = () => increments((own, n) => (n === 3 ? own.value : ++own.value));
const runsTwice = increments((own, n) => {
  own.value += n === 50 ? 2 : 1;
  return n - 1;
});
const reads = (getValue: Work['getValue']): Faults => ({ counter: () => ({ getValue }) });

const echo = (value: unknown[] | Uint8Array) => Object.assign(value.slice(), { 9: 0 });
const streamOf = (fills: number[]) => ({
  work: { download: () => ReadableStream.from(fills.map((fill) => new Uint8Array(65_536).fill(fill))) },
});

/** Has one event, or one session, reach one of those who hear of it as `wrongly` does. */
const delivered = (wrongly: Deliver, at = 20): Faults => ({
  deliver(to, number, message, subscriber) {
    (subscriber === 70 && number === at ? wrongly : plainly.deliver)(to, number, message, subscriber);
  },
});
const told = (wrongly: Tell): Faults => ({
  tell(listener, session, place) {
    (place === 3 && session.title === 'Session 7' ? wrongly : plainly.tell)(listener, session, place);
  },
});
const changedEvent = (change: Partial<Message>) =>
  delivered((to, number, message) => to.receive(number, { ...message, ...change }));
const changedSession = told((listener, session) => listener.receive(0, { ...session, owner: 'eve' }));
const twice: Faults = {
  ...delivered((...to) => [plainly.deliver(...to), plainly.deliver(...to)]),
  ...told((...to) => [plainly.tell(...to), plainly.tell(...to)]),
};
const silent: Faults = { ...delivered(() => {}), ...told(() => {}) };
const changed = (key: keyof Session, value: string | number): Faults => ({
  reply: (session) => ({ ...session, [key]: value }),
});
const verifiedAs = (change: (user: User | undefined) => User | undefined): Faults => ({
  verify: async (token) => change(await verifyToken(token)),
});

const gave = /gave .+ instead of/;
const heard = /(subscriber|listener) \d+ heard|nobody did/;
const [late, stream, connect] = [
  'no end after 500 ms',
  'stream/down-64KiB',
  'latency/connect-authenticate-first-result',
];
const [write, read, create] = ['increment/sequential', 'getValue/sequential', 'latency/create-session'];
const [events, broadcast] = ['events/to-100', 'latency/session-broadcast'];
const id = crypto.randomUUID();
const untitled: Session = { id: '', title: '', agent: 'coder', owner: '', createdAt: 0 };
const forbidden = verifiedAs((user) => user && { ...user, permissions: CREATOR.permissions });
const wrongWork = { owner: () => ({ profile: () => ({ name: 'Eve' }) }), square: () => 2, callBack: () => 0 };

type Failure = [name: string, why: string, faults: Faults, error: string | RegExp];

it.each<Failure>([
  [read, 'a read answers wrongly', reads(async () => 42), 'gave 42 instead of 0'],
  [read, 'a call never settles', reads(() => new Promise(() => {})), `${read}, raw: Error: ${late}`],
  [write, 'an increment runs twice', runsTwice, 'getValue after the block gave 101 instead of 100'],
  ['call/echo-rows-20', 'a row comes back changed', { work: { echo } }, 'echo gave something else'],
  ['echo/bytes-64KiB', 'a byte comes back changed', { work: { echo } }, 'echo gave something else'],
  [stream, 'it is too short', streamOf([0, 1]), 'gave 131072'],
  [stream, 'its chunks have another order', streamOf([1, 0]), 'chunk 0'],
  [events, 'one subscriber is not sent one event', silent, late],
  [`${events}-burst`, 'one subscriber is not sent one event', silent, late],
  [events, 'an event comes twice', twice, heard],
  [events, 'an event comes in place of another one', changedEvent({ number: 19 }), 'subscriber 71 heard'],
  [events, 'an event comes with another text', changedEvent({ text: 'Message 20' }), 'subscriber 71 heard'],
  [events, 'an event comes from somebody else', changedEvent({ from: 'eve' }), 'subscriber 71 heard'],
  [events, 'publish returns another number', { publish: async () => 2 }, 'publish gave 2 instead of 1'],
  [events, 'a subscription ends', delivered((to) => to.fail('it has ended'), 12), 'subscriber 71: it has ended'],
  ['latency/ping', 'it is answered otherwise', { gateway: { ping: async () => 'ping' } }, 'gave ping instead of pong'],
  [connect, 'a forged token is taken', verifiedAs(() => CREATOR), 'whether a forged token is refused gave false'],
  [connect, 'a token is that of another', verifiedAs((user) => user && LISTENER), 'whoAmI gave eve instead of ada'],
  [create, 'one has no title', { gateway: { createSession: async () => untitled } }, 'is refused gave false'],
  [create, 'one is made by whom may make none', forbidden, 'whether who may make none is refused gave false'],
  [create, 'two have one id', { reply: (made) => Object.assign(made, { id }) }, 'the number of different ids gave 1'],
  [create, 'one is not stored', { gateway: { countSessions: async () => 24 } }, 'gave 24 instead of 25'],
  [create, 'one comes back with another title', changed('title', 'Session 1'), gave],
  [create, 'one comes back with another agent', changed('agent', 'writer'), gave],
  [create, 'one comes back with another owner', changed('owner', 'eve'), gave],
  [create, 'one comes back with what is no id', changed('id', '1234'), gave],
  [create, 'one comes back with what is no time', changed('createdAt', 1.5), gave],
  [create, 'listening ends', told((listener) => listener.fail('it has ended')), 'listener 4: it has ended'],
  ...[create, broadcast].flatMap((name): Failure[] => [
    [name, 'a listener is not told', silent, late],
    [name, 'a listener is told twice', twice, heard],
    [name, 'a listener is told of something else', changedSession, heard],
  ]),
  ...PIPELINE_SCENARIOS.map(({ name }): Failure => [name, 'an answer is wrong', { work: wrongWork }, gave]),
  ...[...CALL_SCENARIOS, ...THROUGHPUT_SCENARIOS]
    .filter(({ increments }) => increments > 0)
    .map(({ name }): Failure => [name, 'an increment is lost', losesOne(), gave]),
])('%s fails where %s', async (name, _, faults, error) => {
  const { subject, state } = localSubject(faults);
  await expect(run(name, subject, 500)).rejects.toThrow(error);
  // Connections of a gateway are closed by what uses them, which may never come to its end.
  if (!name.startsWith('latency/')) expect(state.open).toBe(0);
});

describe('what a subject cannot do', () => {
  const failing = (error: Error) => localSubject({ work: { callBack: () => Promise.reject(error) } }).subject;

  it('is told from a failure by the code of a refusal', async () => {
    const refusal = Object.assign(new Error('functions cannot be cloned'), { code: 'NOT_CLONEABLE' });
    const refused = run('pipeline/callback', failing(refusal));
    await expect(refused).rejects.toThrow(Unavailable);
    await expect(refused).rejects.toThrow(/^functions cannot be cloned$/);
  });

  it('is no cover for a connection that was lost', async () => {
    const lost = run('pipeline/callback', failing(Object.assign(new Error('lost'), { code: 'OUTCOME_UNKNOWN' })));
    await expect(lost).rejects.toThrow('pipeline/callback, raw: Error: lost');
    await expect(lost).rejects.not.toThrow(Unavailable);
  });

  it('is a block that never ends, where that is a known defect of the subject', async () => {
    const never = () => new Promise(() => {});
    const mayHang = { scenarios: /batch/, afterMs: 5, because: 'it waits' };
    const hanging: Subject = { ...localSubject({ work: { square: never, callBack: never } }).subject, mayHang };
    const known = run('pipeline/batch-100', hanging, 20);
    await expect(known).rejects.toThrow(Unavailable);
    await expect(known).rejects.toThrow('no end after 5 ms: a call has not settled, because it waits');
    await expect(run('pipeline/callback', hanging, 20)).rejects.not.toThrow(Unavailable);
  });

  it('is said of events for one that has none', async () => {
    const { subject } = localSubject({ connection: { subscribe: undefined } });
    await expect(run('events/to-1', subject)).rejects.toThrow(Unavailable);
  });

  it.each<[name: string, method: keyof Work]>([
    ['pipeline/chain-3', 'owner'],
    ['latency/ping', 'whoAmI'],
  ])('is %s for one whose %s says that it is not there', async (name, method) => {
    const missing = () => {
      throw Object.assign(new Error(`there is no ${method}`), { code: 'METHOD_NOT_FOUND' });
    };
    const { subject } = localSubject({ work: { [method]: missing }, gateway: { [method]: missing } });
    await expect(run(name, subject)).rejects.toThrow(Unavailable);
  });
});

it('verifyToken knows whose token it is, and refuses what was signed for another, not at all, or is no token', async () => {
  const { creator, listener, forged } = await tokensOf();
  expect(await verifyToken(creator)).toEqual(CREATOR);
  expect(await verifyToken(listener)).toEqual(LISTENER);
  for (const wrong of [forged, `${creator}.`, creator.split('.')[0], '', '.', '%.%', undefined, 7]) {
    expect(await verifyToken(wrong)).toBeUndefined();
  }
});
