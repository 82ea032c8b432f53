import { describe, expect, it } from 'vitest';
import { commitNamed } from '../src/change/earlier-code.ts';
import { changeFamily } from '../src/families/change.ts';
import { timeResults } from '../src/run-record.ts';

const SILENT = { start() {}, update() {}, stop() {} };

describe('the code of an earlier commit', () => {
  // Of a clone without a history there is one commit, and it will do.
  const { hash } = commitNamed('HEAD');

  it('is measured beside that of now, in the same launches', { timeout: 60_000 }, async () => {
    const family = changeFamily('HEAD');
    const found = await family.measure({ extent: 'quick', seed: 1, progress: SILENT });

    const rows = timeResults(found).map(({ scenario, subject }) => `${scenario} ${subject}`);
    for (const scenario of ['getValue/sequential', 'connect/first-result', 'increment/one-turn-100']) {
      expect(rows).toContain(`${scenario} lumenize`);
      expect(rows).toContain(`${scenario} at-${hash}`);
    }
    expect(new Set(found.results.map((each) => each.family))).toEqual(new Set(['change']));
    expect(family.entry(found).configuration.join('\n')).toContain(`Before is at-${hash}`);
  });

  it('is asked for by a name that git knows', () => {
    expect(() => changeFamily('no-such-commit')).toThrow('git knows no commit called no-such-commit here');
  });
});
