import { describe, expect, test } from 'vitest';
import type { MadeCall } from './chaos/history.ts';
import { type ChaosReport, runChaos } from './chaos/run-chaos.ts';

/** `npm run chaos` takes other seeds, more clients, and minutes. */
const SEEDS = [1, 2];
const CLIENTS = 12;
/** Wrong things that are shown. */
const LISTED = 10;
const short = { clients: CLIENTS, followers: 2, mostCalls: Number.POSITIVE_INFINITY, mostCallsPerTurn: 30 };

describe('chaos', { timeout: 60_000 }, () => {
  test.each(SEEDS)('leaves no call lost, repeated or hanging, and no event silently missing: seed %i', async (seed) => {
    const report = await runChaos({ ...short, seed, longestMs: 3000, longestCalmMs: 2000 });
    expect(report.wrong.slice(0, LISTED)).toEqual([]);
    // That it was no calm.
    expect(sum(report.faults)).toBeGreaterThan(CLIENTS);
    expect(sum(report.events)).toBeGreaterThan(1);
    expect(report.calls.filter(({ outcome }) => outcome === 'succeeded').length).toBeGreaterThan(1000);
    expect(report.followed.events).toBeGreaterThan(100);
  });

  test('runs nothing again that the server is sent a second time', async () => {
    const report = await runChaos({ ...short, seed: 5, longestMs: 2000, faults: ['replay', 'split'] });
    expect(report.wrong.slice(0, LISTED)).toEqual([]);
    expect(report.faults.replay).toBeGreaterThan(CLIENTS / 2);
  });

  test('finds out a server that runs again what promises to run once', async () => {
    const { wrong } = await runChaos({ ...short, seed: 3, longestMs: 2000, broken: true });
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
    });
    expect(report.wrong.slice(0, LISTED)).toEqual([]);
    const deploys = report.events.deploy ?? 0;
    expect(deploys).toBeGreaterThan(1);
    // Two may follow each other before everyone has been answered.
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
