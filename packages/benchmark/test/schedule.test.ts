import { seededRandom } from '@lumenize/hosts/random';
import { describe, expect, it } from 'vitest';
import type { Arm, ScenarioPlan } from '../src/engine/plan.ts';
import { schedule } from '../src/engine/schedule.ts';

const ARMS: readonly Arm[] = (['lumenize', 'capnweb', 'raw'] as const).map((subject) => ({ id: subject, subject }));
const PLANS: readonly ScenarioPlan[] = [
  { scenario: 'often', arms: ARMS, rounds: 6, leading: 2, mirrored: true },
  { scenario: 'thrice', arms: ARMS, rounds: 3, mirrored: true },
  { scenario: 'once', arms: ARMS, rounds: 1, mirrored: false },
];

describe('schedule', () => {
  it('runs the second half of a mirrored round in the reverse of the first', () => {
    const often = schedule(PLANS, seededRandom(1)).filter(({ scenario }) => scenario === 'often');
    for (let round = 0; round < 6; round++) {
      const [first, second] = [0, 1].map((half) => often.filter((t) => t.round === round && t.pass === half));
      expect(first).toHaveLength(3);
      expect(second.map(({ arm }) => arm)).toEqual(first.map(({ arm }) => arm).toReversed());
    }
  });

  it('plans every turn of every arm in every round, each once', () => {
    const turns = schedule(PLANS, seededRandom(1));
    expect(turns).toHaveLength(3 * (6 * 2 + 3 * 2 + 1));
    const keys = turns.map(({ scenario, arm, round, pass }) => [scenario, arm.id, round, pass].join());
    expect(new Set(keys).size).toBe(turns.length);
  });

  it('keeps the order of the plans in the first slot, for launches that are short of time', () => {
    const first = schedule(PLANS, seededRandom(9)).filter(({ slot }) => slot === 0);
    expect([...new Set(first.map(({ scenario }) => scenario))]).toEqual(['often', 'thrice', 'once']);
    const rounds = (name: string) => new Set(first.filter((t) => t.scenario === name).map(({ round }) => round));
    expect(rounds('often')).toEqual(new Set([0, 1]));
    expect(rounds('thrice')).toEqual(new Set([0]));
  });

  it('gives every arm the first place about equally often', () => {
    const leads = Array.from({ length: 300 }, (_, seed) => schedule(PLANS, seededRandom(seed))[0].arm.id);
    for (const { id } of ARMS) expect(leads.filter((lead) => lead === id).length).toBeGreaterThan(70);
  });

  it('is repeated by its seed', () => {
    expect(schedule(PLANS, seededRandom(5))).toEqual(schedule(PLANS, seededRandom(5)));
    expect(schedule(PLANS, seededRandom(5))).not.toEqual(schedule(PLANS, seededRandom(6)));
  });
});
