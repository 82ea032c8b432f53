import { describe, expect, it } from 'vitest';
import { familyProfile } from '../src/blocks/family-profiles.ts';
import type { Session } from '../src/gateway/gateway.ts';
import { verifyToken } from '../src/gateway/token.ts';
import { CREATOR, LISTENER, tokensOf } from '../src/gateway/users.ts';
import { runBlock } from '../src/load/block.ts';
import { LATENCY_SCENARIOS, scenarioNamed } from '../src/scenarios/all.ts';
import type { Subject } from '../src/subjects/subject.ts';
import { Unavailable } from '../src/subjects/unavailable.ts';
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
    const { warmUpScenario } = familyProfile('latency');
    const { subject, state, stored } = localGateway();
    const { samplesMs } = await runBlock(scenarioNamed(warmUpScenario!), subject, 'http://nowhere', 'a');
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

  it('fail when a session is made without a title, or by whom may make none', async () => {
    const created: Session = { id: '', title: '', agent: '', owner: '', createdAt: 0 };
    const anything = { methods: { createSession: async () => created } };
    await failure('create-session', anything).toThrow('a session without a title gave false');
    const verify = async (token: string) => {
      const user = await verifyToken(token);
      return user && { ...user, permissions: CREATOR.permissions };
    };
    await failure('create-session', { verify }).toThrow('a session of whom may make none gave false');
  });

  it('fail when ping answers something else', async () => {
    await failure('ping', { methods: { ping: async () => 'ping' } }).toThrow('ping gave ping instead of pong');
  });

  it('fail when a forged token is taken, or a genuine one for that of somebody else', async () => {
    const name = 'connect-authenticate-first-result';
    await failure(name, { verify: async () => CREATOR }).toThrow('whoAmI with a forged token gave ada');
    const swapped = async (token: string) => ((await verifyToken(token)) ? LISTENER : undefined);
    await failure(name, { verify: swapped }).toThrow('whoAmI gave eve instead of ada');
  });

  it.each<[keyof Session, string | number]>([
    ['title', 'Session 1'],
    ['agent', 'writer'],
    ['owner', 'eve'],
    ['id', '1234'],
    ['createdAt', 1.5],
  ])('fail when a session comes back with another %s', async (key, value) => {
    const reply = (session: Session) => ({ ...session, [key]: value });
    await failure('create-session', { reply }).toThrow(/gave .+ instead of/);
  });

  it('fail when two sessions have the same id', async () => {
    const id = crypto.randomUUID();
    const reply = (session: Session) => Object.assign(session, { id });
    await failure('create-session', { reply }).toThrow('the number of different ids gave 1');
  });

  it('fail when a session is not stored', async () => {
    await failure('create-session', { methods: { countSessions: async () => 24 } }).toThrow('gave 24 instead of 25');
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
      }).toThrow('listener 4, after session 9: a session that nobody has made, or twice the same');
      await failure(name, {
        tell(listener, session, place) {
          plainly(listener, seventh(session, place) ? { ...session, owner: 'eve' } : session);
        },
      }).toThrow('what a listener heard gave');
    },
  );

  it('fail when listening ends', async () => {
    await failure('create-session', {
      tell(listener, session, place) {
        if (place === 1) listener.fail('it has ended');
        else plainly(listener, session);
      },
    }).toThrow('listener 2, after session 0: it has ended');
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
