import { describe, expect, it } from 'vitest';
import { memoryFindings, nothingToRead } from '../src/memory/findings.ts';
import { memoryEntry } from '../src/memory/memory-entry.ts';
import { IDLE_ARMS, MEMORY_SUBJECTS } from '../src/memory/profile.ts';
import { ratioTo } from '../src/memory/ratios.ts';
import type { IdleReading } from '../src/memory/reading.ts';

const ROOM = { connections: 9900, openFilesLimit: 20_000, wanted: 1000 };

/** Launches in which a connection costs what `bytes` says of its arm and round. */
function readings(rounds: number, bytes: (arm: string, round: number) => number): IdleReading[] {
  return Array.from({ length: rounds }, (_, round) =>
    IDLE_ARMS.map(({ id, subject, hibernates }) => ({
      ...{ arm: id, subject, hibernates, round, emptyBytes: 40e6, startMs: 1, measuredMs: 1 },
      points: [100, 1000].map((connections) => ({
        connections,
        residentBytes: 40e6 + connections * bytes(id, round),
        openFiles: 10 + 2 * connections,
      })),
      client: { utilization: 0, delayP99Ms: 0, delayMaxMs: 0 },
    })),
  ).flat();
}

const found = (rounds: number, lumenize: (round: number) => number, again = lumenize) =>
  memoryFindings(
    MEMORY_SUBJECTS,
    readings(rounds, (arm, round) => {
      if (arm === 'lumenize/hibernating') return lumenize(round);
      return arm === 'lumenize-again/hibernating' ? again(round) : 2000;
    }),
    [],
    ROOM,
  );

describe('memory of a connection that hibernates, against a raw one', () => {
  it('is the geometric mean of the rounds, and met below its bar', () => {
    const memory = found(4, (round) => [2100, 2110, 2090, 2100][round]);
    expect(ratioTo(memory, 'lumenize', 'raw')!.value).toBeCloseTo(1.05, 3);
    expect(memoryEntry(memory).bars).toEqual([
      {
        name: 'memory per idle connection, hibernating, against a raw socket',
        must: '≤ 1.3',
        aim: '≤ 1.1: reached',
        measured: expect.stringMatching(/^1\.050 \(1\.04–1\.0[56]\)$/),
        outcome: 'met',
      },
    ]);
  });

  it('is missed above its bar, and says so where the interval reaches above', () => {
    expect(memoryEntry(found(4, () => 2700)).bars[0]).toMatchObject({ outcome: 'missed', aim: '≤ 1.1: not yet' });
    const wide = memoryEntry(found(4, (round) => [2000, 3200, 2100, 2400][round]));
    expect(wide.bars[0].outcome).toBe('met, but the interval reaches below');
  });

  it('is of no conclusion with few launches, and where the subject differs from itself', () => {
    expect(memoryEntry(found(2, () => 2100)).bars[0].outcome).toBe('no conclusion');
    const broken = memoryEntry(
      found(
        4,
        () => 2100,
        () => 2500,
      ),
    );
    expect(broken.bars[0].outcome).toBe('no conclusion');
    expect(broken.results).not.toMatch(/ │(more|less) +│(?!0\.84)/);
    expect(broken.analysis[0]).toMatch(/"differs" from itself in memory \(0\.84\)/);
  });

  it('leaves out rounds in which noise hides what a connection costs', () => {
    const memory = found(4, (round) => (round === 0 ? -50 : 2000));
    expect(ratioTo(memory, 'lumenize', 'raw')).toMatchObject({ n: 3, value: 1 });
  });
});

it('tells slopes, points and who cannot hibernate, in tables', () => {
  const { results, configuration, analysis } = memoryEntry(found(3, () => 2000));
  expect(results).toMatch(/^hibernating\W+lumenize\W+2000\W+2000–2000\W+3\W+2\.00\W+100: 40\.2, 1000: 42\.0$/m);
  expect(results).toMatch(/^connection\/hibernating\W+capnweb\W+its sessions live in memory/m);
  expect(configuration[1]).toContain('this machine lets a process have 20000 open files');
  expect(analysis[0]).toBe('Lumenize RPC against itself shows no difference in memory: the method holds.');
});

it('says of how many rows it knows how they vary', () => {
  expect(memoryEntry(found(3, () => 2000)).variance[0]).toMatch(/to either side, in \d+ rows\.$/);
  expect(memoryEntry(found(1, () => 2000)).variance[0]).toContain('one launch of each');
  const some = readings(3, (_, round) => 2000 + round).filter(({ arm, round }) => round === 0 || arm !== 'raw/awake');
  expect(memoryEntry(memoryFindings(MEMORY_SUBJECTS, some, [], ROOM)).variance[0]).toMatch(
    /in \d+ rows; of 1 row there is one launch, and none\.$/,
  );
});

it('says how many connections there could be where a limit lets fewer be than were wanted', () => {
  const few = memoryFindings(
    MEMORY_SUBJECTS,
    readings(1, () => 2000),
    [],
    { ...ROOM, wanted: 5000 },
  );
  expect(memoryEntry(few).configuration[1]).toContain('lets 1000 connections be, of 5000 wanted');
});

it('says of every subject that nothing tells its memory where there is no /proc', () => {
  const entry = memoryEntry(nothingToRead(['lumenize', 'capnweb']));
  expect(entry.results.match(/there is no \/proc here/g)).toHaveLength(6);
  expect(entry.bars).toEqual([]);
});
