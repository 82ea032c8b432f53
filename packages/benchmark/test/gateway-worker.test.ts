import { connect, type RpcError } from '@lumenize/rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FEATURES } from '../src/features/feature.ts';
import { tokensOf } from '../src/gateway/users.ts';
import { runBlock } from '../src/load/block.ts';
import { FEATURE_SCENARIOS, LATENCY_SCENARIOS, scenarioNamed } from '../src/scenarios/all.ts';
import { SUBJECTS } from '../src/subjects/all.ts';
import type { Subject, SubjectName } from '../src/subjects/subject.ts';
import { type ServedWork, serveWork } from './support/serve-work.ts';

let server: ServedWork;

beforeAll(async () => {
  server = await serveWork();
}, 60_000);

afterAll(() => server?.[Symbol.asyncDispose]());

const block = (scenario: string, subject: Subject) =>
  runBlock(scenarioNamed(scenario), subject, server.url, `${subject.name}-${scenario.split('/')[1]}`);

describe('the subjects of latency', () => {
  const cases = LATENCY_SCENARIOS.flatMap(({ name }) =>
    (['lumenize', 'lumenize-accept', 'capnweb', 'raw', 'raw-accept'] as const).map(
      (subject) => [name, subject] as const,
    ),
  );
  it.each(cases)('run %s as %s', async (name, subject) => {
    const { samplesMs } = await block(name, SUBJECTS[subject]);
    const { sample, operations } = scenarioNamed(name);
    expect(samplesMs).toHaveLength(sample === 'delivery' ? 5 * operations : operations);
  });
});

describe('the subjects of feature cost', () => {
  const cases = FEATURE_SCENARIOS.flatMap(({ name }) => FEATURES.map((feature) => [name, feature] as const));
  it.each(cases)('run %s with %s', async (name, feature) => {
    expect((await block(name, SUBJECTS[feature])).samplesMs.length).toBeGreaterThan(0);
  });

  it.each(FEATURE_SCENARIOS.map(({ name }) => name))('fail %s when an answer is wrong', async (name) => {
    const wrong: Subject = {
      ...SUBJECTS.base,
      async connect(...where) {
        const connection = await SUBJECTS.base.connect(...where);
        let calls = 0;
        const later = async () => (await connection.increment()) + (++calls > 1 ? 1 : 0);
        return { ...connection, increment: later, incrementInOneTurn: async (n) => Array.from({ length: n }, () => 1) };
      },
    };
    await expect(block(name, wrong)).rejects.toThrow(/increment gave \d+ instead of \d+/);
  });

  /** What a client is told that does not do as the subject does. */
  async function codeOf(feature: SubjectName, by: number, token?: string): Promise<string> {
    const path = `${token === undefined ? 'rpc' : 'secure'}/feature-${feature}/wrong`;
    using stub = connect<{ increment(by: number): number }>(`${server.url.replace('http', 'ws')}/${path}`, { token });
    return await stub.increment(by).then(
      () => 'no error',
      ({ code }: RpcError) => code,
    );
  }

  it('refuse by the features that they are named after, and base refuses nothing', async () => {
    const { creator, listener, forged } = await tokensOf();
    expect(await codeOf('base', 0.5)).toBe('no error');
    expect(await codeOf('authentication', 1)).toBe('DENIED');
    expect(await codeOf('authentication', 1, forged)).toBe('DENIED');
    expect(await codeOf('authentication', 1, listener)).toBe('DENIED');
    expect(await codeOf('authentication', 0.5, creator)).toBe('no error');
    expect(await codeOf('validation', 0.5)).toBe('INVALID_ARGUMENTS');
    expect(await codeOf('all', 1, listener)).toBe('DENIED');
    expect(await codeOf('all', 0.5, creator)).toBe('INVALID_ARGUMENTS');
    expect(await codeOf('all', 1, creator)).toBe('no error');
  });
});
