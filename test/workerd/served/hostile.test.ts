import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADVISORIES } from '../../hostile/advisories.ts';
import { ATTACKS } from '../../hostile/attacks.ts';
import { serveHostileWorker } from '../../hostile/serve.ts';
import { Victim } from '../../hostile/victim.ts';
import type { ServedWorker } from '../../support/workerd.ts';

let worker: ServedWorker;
beforeAll(async () => {
  worker = await serveHostileWorker();
});
afterAll(() => worker?.[Symbol.asyncDispose]());

describe.each(ADVISORIES)('what was done to $where ($published), tried in workerd', ({ where }) => {
  let victim: Victim;
  beforeAll(() => {
    victim = new Victim(worker);
  });
  afterAll(() => victim[Symbol.dispose]());

  test.each(ATTACKS.get(where)!)('$name', { timeout: 60_000 }, ({ run }) => victim.survives(() => run(victim)));
});

test('every advisory is tried', () => {
  expect([...ATTACKS].filter(([, attacks]) => attacks.length === 0)).toEqual([]);
});
