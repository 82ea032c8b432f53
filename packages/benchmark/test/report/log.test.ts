import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type EntryOptions, logRun } from '../../src/report/log.ts';
import { readRun } from '../../src/report/record.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { fixedRecord } from './fixed-record.ts';

describe('logRun', () => {
  let root: string;
  const log = () => readFileSync(join(root, 'MEASUREMENTS.md'), 'utf8');
  const logged = (options: EntryOptions = {}, changes: Parameters<typeof fixedRecord>[0] = {}) =>
    logRun({ record: fixedRecord(changes), commitSubject: 'Send fewer frames' }, options, root);

  beforeEach(() => {
    root = temporaryDirectory();
    writeFileSync(join(root, 'MEASUREMENTS.md'), '# Measurements\n\nA header.\n');
  });

  it('adds entries at the end and changes nothing before them', () => {
    logged();
    const first = log();
    expect(first.startsWith('# Measurements\n\nA header.\n\n---\n\n### ')).toBe(true);
    logged({}, { commit: 'fff0000', takenAt: '2026-11-21T00:00:00.000Z' });
    expect(log().startsWith(first.trimEnd())).toBe(true);
    expect(log().match(/^### /gm)).toHaveLength(2);
  });

  it('writes the whole run beside it, in one line, under its time and hash, and marks a tree that differs; nothing else is left', () => {
    const { file } = logged({ allowDirty: true }, { dirty: true });
    expect(file).toBe('measurements/2026-11-20T18-51-07Z-abc1234-dirty.json');
    const text = readFileSync(join(root, file), 'utf8');
    expect(text.split('\n')).toHaveLength(2);
    expect(readRun(join(root, file))).toEqual(fixedRecord({ dirty: true }));
    for (const text of [`](${file})`, '**Git Hash**: abc1234+dirty\n', '- Changes that are not committed\n']) {
      expect(log()).toContain(text);
    }
    expect(readdirSync(root).toSorted()).toEqual(['MEASUREMENTS.md', 'measurements']);
    expect(readdirSync(join(root, 'measurements'))).toHaveLength(1);
  });

  it('heads the entry with the title and the description that were given, else with the subject of the commit', () => {
    logged({ title: 'Before the change', description: 'As it was.' });
    expect(log()).toContain('### 2026-11-20 18:51:07 [Before the change]\n');
    expect(log()).toContain('**Description**: As it was.\n');
    expect(log()).not.toContain('Send fewer frames');
    logged({ title: '', description: '' });
    expect(log()).toContain('[Send fewer frames]\n');
    expect(log()).toContain('**Description**: The short profile at the commit “Send fewer frames”.\n');
  });

  it('refuses a tree that differs from its commit, and writes nothing', () => {
    expect(() => logged({}, { dirty: true })).toThrow('commit first');
    expect(log()).toBe('# Measurements\n\nA header.\n');
    expect(existsSync(join(root, 'measurements'))).toBe(false);
  });
});
