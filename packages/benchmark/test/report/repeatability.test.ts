import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../src/engine/record.ts';
import { repeatability } from '../../src/report/repeatability.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { comparison, reading } from './fixed-record.ts';

const COMMAND = fileURLToPath(new URL('../../src/report/repeatability.ts', import.meta.url));

const recorded = (changes: Partial<RunRecord> = {}) => reading(1, 'abc1234', 1, changes);

/** A run with these ratios, exact to 1 %. */
const runOf = (...ratios: readonly number[]): RunRecord =>
  recorded({
    comparisons: [
      comparison('a', 'lumenize', 1, [0.9, 1.1], 'no difference shown'),
      ...ratios.map((ratio, i) => {
        const verdict = ratio > 1.03 ? 'faster' : ratio < 0.97 ? 'slower' : 'no difference shown';
        return comparison(`scenario/${i}`, 'capnweb', ratio, [ratio / 1.01, ratio * 1.01], verdict);
      }),
    ],
  });

const nine = Array.from({ length: 9 }, () => 1.5);

describe('repeatability', () => {
  it('counts the ratios inside the first interval widened by 3 %', () => {
    const { compared, inside, outside, repeats } = repeatability(runOf(...nine, 2), runOf(...nine, 2.1));
    expect({ compared, inside, repeats }).toEqual({ compared: 10, inside: 0.9, repeats: true });
    expect(outside.map(({ second }) => second.ratio)).toEqual([2.1]);
    const insides = [2.08, 1.925, 1.92].map((again) => repeatability(runOf(2), runOf(again)).inside);
    expect(insides).toEqual([1, 1, 0]);
    expect(repeatability(runOf(...nine, 2, 2), runOf(...nine, 2.1, 2.1)).repeats).toBe(false);
  });

  it('allows no comparison that is faster in one and slower in the other, either way round', () => {
    const [faster, slower] = [runOf(...nine, 1.04), runOf(...nine, 0.96)];
    for (const found of [repeatability(faster, slower), repeatability(slower, faster)]) {
      expect(found.opposite.map(({ first }) => first.scenario)).toEqual(['scenario/9']);
      expect(found.inside).toBe(0.9);
      expect(found.repeats).toBe(false);
    }
  });

  it('passes over what only one run has, and the A/A arm', () => {
    const { compared, single } = repeatability(runOf(1.5, 1.5), runOf(1.5));
    expect({ compared, single }).toEqual({ compared: 1, single: 1 });
  });

  it.each<[string, RunRecord]>([
    ['abc1234 and of fff', recorded({ commit: 'fff' })],
    ['differed from its commit', recorded({ dirty: true })],
    ['different machines', recorded({ environment: { ...recorded().environment, cpu: 'Another' } })],
    ['no comparison in common', recorded({ comparisons: [] })],
  ])('refuses runs that need not repeat one another: %s', (words, second) => {
    expect(() => repeatability(recorded(), second)).toThrow(words);
  });
});

it('npm run tool -- repeatability tells by its exit code, and lists what is outside', () => {
  const directory = temporaryDirectory();
  const write = (name: string, run: object) => writeFileSync(join(directory, name), JSON.stringify(run));
  const command = ['--conditions=@lumenize/source', COMMAND];
  const run = (...files: string[]) =>
    spawnSync(process.execPath, [...command, ...files], { cwd: directory, encoding: 'utf8' });
  write('a.json', runOf(...nine, 2));
  write('b.json', runOf(...nine, 2.5));
  write('c.json', runOf(...nine.map(() => 0.5), 2.5));
  const good = run('a.json', 'b.json');
  expect(good.stdout).toContain('9 of 10 ratios of the second run (90 %)');
  expect(good.stdout).toMatch(/scenario\/9 .*2\.00.*2\.50/);
  const bad = run('a.json', 'c.json');
  expect(bad.stdout).toContain('Faster in one run and slower in the other: 9');
  expect([good, bad, run('a.json'), run('a.json', 'missing.json')].map(({ status }) => status)).toEqual([0, 1, 2, 2]);
});
