import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EntryOptions, logRun } from '../src/measure.ts';
import { fixedTold } from './support/fixed-run.ts';

describe('logRun', () => {
  let root: string;
  const log = () => readFileSync(join(root, 'MEASUREMENTS.md'), 'utf8');
  const logged = (options: EntryOptions, dirty = false) => {
    logRun({ ...fixedTold({ dirty }), commitSubject: 'Send fewer frames' }, options, root);
    return log();
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'benchmark-log-run-'));
    writeFileSync(join(root, 'MEASUREMENTS.md'), '# Measurements\n');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('heads the entry with the title and the description that were given', () => {
    const entry = logged({ title: 'Before the change', description: 'As it was.' });
    expect(entry).toContain('### 2026-11-20 18:51:07 [Before the change]\n');
    expect(entry).toContain('**Description**: As it was.\n');
    expect(entry).not.toContain('Send fewer frames');
  });

  it.each([{}, { title: '', description: '' }])('takes the subject of the last commit otherwise: %o', (options) => {
    const entry = logged(options);
    expect(entry).toContain('[Send fewer frames]\n');
    expect(entry).toContain('**Description**: The short profile at the commit “Send fewer frames”.\n');
  });

  it('refuses a tree that differs from its commit, and writes nothing', () => {
    expect(() => logged({}, true)).toThrow('commit first');
    expect(log()).toBe('# Measurements\n');
    expect(existsSync(join(root, 'measurements'))).toBe(false);
  });

  it('logs it where that is allowed, and marks it', () => {
    const entry = logged({ allowDirty: true }, true);
    expect(entry).toContain('**Git Hash**: abc1234+dirty\n');
    expect(entry).toContain('- Changes that are not committed\n');
  });

  it('compares with the runs whose files are there', () => {
    expect(logged({})).toContain('**Earlier Entries**:\n\nNo earlier entry of a machine like this one');
    const later = fixedTold({ takenAt: '2026-11-20T19:00:00.000Z' });
    logRun({ ...later, commitSubject: 'Again' }, {}, root);
    expect(log()).toContain('2026-11-20 18:51:07 (abc1234): of 4 comparisons 0 faster than then, 0 slower');
  });
});
