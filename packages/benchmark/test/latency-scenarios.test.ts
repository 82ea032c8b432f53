import { describe, expect, it } from 'vitest';
import { runBlock } from '../src/blocks/block.ts';
import type { Session, User } from '../src/gateway/gateway.ts';
import { CREATOR, LISTENER, tokensOf, verifyToken } from '../src/gateway/token.ts';
import { LATENCY_SCENARIOS, scenarioNamed } from '../src/scenarios/all.ts';
import { type Subject, Unavailable } from '../src/subjects/subject.ts';
import { type Faults, localGateway, plainly } from './support/local-gateway.ts';

const run = (name: string, subject: Subject, timeoutMs?: number) =>
  runBlock(scenarioNamed(`latency/${name}`), subject, 'http://nowhere', 'a', { timeoutMs });

const failure = (name: string, faults: Faults) => expect(run(name, localGateway(faults).subject, 500)).rejects;

describe('the scenarios of latency', () => {
  it.each(LATENCY_SCENARIOS.map(({ name }) => name))('run %s, and close what they opened', async (name) => {
    const { subject, state } = localGateway();
    const { totalMs, samplesMs } = await run(name.slice('latency/'.length), subject);
    const { operations, sample } = scenarioNamed(name);
    expect(samplesMs).toHaveLength(sample === 'delivery' ? 5 * operations : operations);
    expect(totalMs).toBeGreaterThan(0);
    expect(state.open).toBe(0);
  });

  it('open a connection for each sample of connecting, and one with a forged token', async () => {
    const { subject, state } = localGateway();
    await run('connect-authenticate-first-result', subject);
    expect(state.connected).toBe(scenarioNamed('latency/connect-authenticate-first-result').operations + 1);
  });

  it('are warmed up with calls of a gateway, and with sessions', async () => {
    const { subject, state, stored } = localGateway();
    const { samplesMs } = await runBlock(scenarioNamed('warm-up/gateway'), subject, 'http://nowhere', 'a');
    expect(samplesMs.length).toBeGreaterThan(0);
    expect(stored.length).toBeGreaterThan(0);
    expect(state.open).toBe(0);
  });

  it('tell five listeners of every session', async () => {
    const { subject, stored, listeners } = localGateway();
    await run('create-session', subject);
    expect(listeners).toHaveLength(5);
    expect(stored.length).toBeGreaterThan(scenarioNamed('latency/create-session').operations);
  });

  const [connect, create] = ['connect-authenticate-first-result', 'create-session'];
  const anything: Session = { id: '', title: '', agent: '', owner: '', createdAt: 0 };
  const verifiedAs = (change: (user: User | undefined) => User | undefined) => ({
    verify: async (token: string) => change(await verifyToken(token)),
  });
  const changed = (key: keyof Session, value: string | number) => ({
    reply: (session: Session) => ({ ...session, [key]: value }),
  });
  const id = crypto.randomUUID();
  const gave = /gave .+ instead of/;
  const forbidden = verifiedAs((user) => user && { ...user, permissions: CREATOR.permissions });
  const untitled = { methods: { createSession: async () => anything } };
  const sameId = { reply: (session: Session) => Object.assign(session, { id }) };
  it.each<[name: string, why: string, faults: Faults, error: string | RegExp]>([
    ['ping', 'ping answers something else', { methods: { ping: async () => 'ping' } }, 'gave ping instead of pong'],
    [connect, 'a forged token is taken', verifiedAs(() => CREATOR), 'whether a forged token is refused gave false'],
    [connect, 'a token is that of another', verifiedAs((user) => user && LISTENER), 'whoAmI gave eve instead of ada'],
    [create, 'a session is made without a title', untitled, 'a session without a title is refused gave false'],
    [create, 'one is made by whom may make none', forbidden, 'whether who may make none is refused gave false'],
    [create, 'two sessions have the same id', sameId, 'the number of different ids gave 1'],
    [create, 'one is not stored', { methods: { countSessions: async () => 24 } }, 'gave 24 instead of 25'],
    [create, 'one comes back with another title', changed('title', 'Session 1'), gave],
    [create, 'one comes back with another agent', changed('agent', 'writer'), gave],
    [create, 'one comes back with another owner', changed('owner', 'eve'), gave],
    [create, 'one comes back with what is no id', changed('id', '1234'), gave],
    [create, 'one comes back with what is no time', changed('createdAt', 1.5), gave],
  ])('fail %s when %s', async (name, _, faults, error) => {
    await failure(name, faults).toThrow(error);
  });

  it.each(['create-session', 'session-broadcast'])(
    'fail %s when a listener is not told, is told twice, or of something else',
    async (name) => {
      const seventh = ({ title }: Session, place: number) => title === 'Session 7' && place === 3;
      await failure(name, {
        tell: (listener, session, place) => seventh(session, place) || plainly(listener, session),
      }).toThrow('no end after 500 ms');
      await failure(name, {
        tell(listener, session, place) {
          plainly(listener, session);
          if (seventh(session, place)) plainly(listener, session);
        },
      }).toThrow(/listener \d (heard|: was told of what nobody did)|nobody did/);
      await failure(name, {
        tell(listener, session, place) {
          plainly(listener, seventh(session, place) ? { ...session, owner: 'eve' } : session);
        },
      }).toThrow(/listener \d heard/);
    },
  );

  it('fail when listening ends', async () => {
    await failure('create-session', {
      tell(listener, session, place) {
        if (place === 1) listener.fail('it has ended');
        else plainly(listener, session);
      },
    }).toThrow('listener 2: it has ended');
  });

  it('say of a subject without a gateway that it cannot', async () => {
    const { subject } = localGateway();
    await expect(run('ping', { ...subject, connectAs: undefined })).rejects.toThrow(Unavailable);
  });
});

describe('verifyToken', () => {
  it('knows whose token it is, and refuses what was signed for another, not at all, or is no token', async () => {
    const { creator, listener, forged } = await tokensOf();
    expect(await verifyToken(creator)).toEqual(CREATOR);
    expect(await verifyToken(listener)).toEqual(LISTENER);
    for (const wrong of [forged, `${creator}.`, creator.split('.')[0], '', '.', '%.%', undefined, 7]) {
      expect(await verifyToken(wrong)).toBeUndefined();
    }
  });
});
