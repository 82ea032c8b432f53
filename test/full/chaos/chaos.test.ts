import { describe, expect, test } from 'vitest';
import type { MadeCall } from '../../chaos/history.ts';
import { type ChaosReport, runChaos, type SoFar } from '../../chaos/run-chaos.ts';

/** `npm run tool -- chaos` takes other seeds, more clients, and minutes. */
const SEEDS = [1, 2];
const CLIENTS = 12;
/** Wrong things that are shown. */
const LISTED = 10;
const short = { clients: CLIENTS, followers: 2, mostCalls: Number.POSITIVE_INFINITY, mostCallsPerTurn: 30 };

describe('chaos', { timeout: 120_000 }, () => {
  test.each(SEEDS)('leaves no call lost, repeated or hanging, and no event silently missing: seed %i', async (seed) => {
    // That it was no calm.
    const isEnough = ({ faults, events, calls, followed }: SoFar) =>
      sum(faults) > CLIENTS &&
      sum(events) > 1 &&
      followed.events > 100 &&
      calls.filter(({ outcome }) => outcome === 'succeeded').length > 1000;
    const report = await runChaos({ ...short, seed, longestMs: 3000, longestCalmMs: 2000, isEnough });
    expect(report.wrong.slice(0, LISTED)).toEqual([]);
    expect(isEnough(report)).toBe(true);
  });

  test('runs nothing again that the server is sent a second time', async () => {
    const isEnough = ({ faults }: SoFar) => faults.replay > CLIENTS / 2;
    const report = await runChaos({ ...short, seed: 5, longestMs: 2000, faults: ['replay', 'split'], isEnough });
    expect(report.wrong.slice(0, LISTED)).toEqual([]);
    expect(isEnough(report)).toBe(true);
  });

  test('finds out a server that runs again what promises to run once', async () => {
    const isEnough = ({ faults }: SoFar) => sum(faults) > CLIENTS;
    const { wrong } = await runChaos({ ...short, seed: 3, longestMs: 2000, isEnough, broken: true });
    expect(wrong).toContainEqual(expect.stringMatching(/^increment \d+ of client \d+ has run \d+ times/));
  });

  test('loses nothing and repeats nothing when the Worker is replaced under load', async () => {
    const report = await runChaos({
      ...short,
      seed: 4,
      longestMs: 5000,
      longestCalmMs: 2000,
      faults: [],
      possible: ['deploy'],
      // Two may follow each other before everyone has been answered.
      isEnough: ({ events, resumed }) => events.deploy! > 1 && resumed.deploy!.length >= CLIENTS,
      // A machine that is slow to start a server is no reason to give up.
      patience: { maxWaitMs: 20_000 },
    });
    expect(report.wrong.slice(0, LISTED)).toEqual([]);
    expect(report.events.deploy).toBeGreaterThan(1);
    expect(report.resumed.deploy!.length).toBeGreaterThanOrEqual(CLIENTS);
    // What says how it may be sent again, and has no deadline, does not so much as notice.
    const noticed = report.calls.filter((call) => declares(call) && call.outcome !== 'succeeded');
    expect(noticed.filter(({ timeoutMs }) => timeoutMs === undefined)).toEqual([]);
    expect(report.followed.renewals).toBe(0);
  });
});

function declares({ method }: MadeCall): boolean {
  return method !== 'bump';
}

function sum(counts: ChaosReport['faults'] | ChaosReport['events']): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
