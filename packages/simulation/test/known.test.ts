import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WAITING } from '../src/mutants/waiting.ts';
import { KNOWN_SITUATIONS } from '../src/programs/known.ts';
import { methodOfVersion } from '../src/programs/normalize.ts';
import { KNOWN_SCENARIOS } from '../src/scenarios/all.ts';
import { KNOWN_EDGES } from '../src/scenarios/known-edges.ts';
import { arbitraryPrograms } from '../src/search.ts';
import { runScript } from './run-checks.ts';

// What the simulator is known to find. Whatever is mended has to come off its list, and is drawn by default from then on.
describe('what the simulator is known to find', { timeout: 120_000 }, () => {
  it('is found in a program of each situation', async () => {
    const wrong = await runScript<string[][]>('checks/known-situations.ts');
    for (const [place, { row, what, says }] of KNOWN_SITUATIONS.entries()) {
      expect(wrong[place].join('\n'), `row ${row}: ${what}`).toMatch(says);
    }
  });

  it('is found by each scenario', async () => {
    for (const [name, { says }] of Object.entries(KNOWN_SCENARIOS)) {
      const wrong = await runScript<string[]>('checks/play-scenario.ts', name, '1');
      expect(wrong.join('\n'), name).toMatch(says);
    }
  });

  it('is found with each option, and no other option is neither refused nor works', async () => {
    expect(await runScript('checks/option-edges.ts')).toEqual({});
  }, 300_000);

  it('is not drawn by default', () => {
    for (const { target, steps } of fc.sample(arbitraryPrograms(), { seed: 1, numRuns: 500 })) {
      expect(steps.filter(({ kind }) => kind === 'become' || kind === 'break')).toEqual([]);
      expect(steps.filter((step) => 'user' in step && step.user === 'empty')).toEqual([]);
      for (const [index, before] of target.methods.entries()) {
        const after = methodOfVersion(target, index, 1);
        if (before.delivery !== 'exactlyOnce') expect(after?.delivery).not.toBe('exactlyOnce');
        if (before.guard === 'none' && after?.delivery !== 'default') expect(after?.guard).toBe('none');
      }
    }
  });

  it('has a mutant that waits for each row', () => {
    const lists = [KNOWN_SITUATIONS, Object.values(KNOWN_SCENARIOS)].flat().map(({ row }) => row);
    const rows = new Set([...lists, ...(KNOWN_EDGES.length > 0 ? [23] : [])]);
    expect(new Set(WAITING.map(({ row }) => row))).toEqual(rows);
  });
});
