import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendRun, lastHash } from '../src/log/append.ts';
import { fixedTold } from './support/fixed-run.ts';

const TEXTS = { title: 'A title', description: 'A description.', changes: ['A change'], earlier: 'None.' };

describe('appendRun', () => {
  let root: string;
  const log = () => readFileSync(join(root, 'MEASUREMENTS.md'), 'utf8');

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'benchmark-log-'));
    writeFileSync(join(root, 'MEASUREMENTS.md'), '# Measurements\n\nA header.\n');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('adds entries at the end and changes nothing before them', () => {
    appendRun(root, fixedTold(), TEXTS);
    const first = log();
    expect(first.startsWith('# Measurements\n\nA header.\n')).toBe(true);
    appendRun(root, fixedTold({ commit: 'fff0000', takenAt: '2026-11-21T00:00:00.000Z' }), TEXTS);
    expect(log().startsWith(first.trimEnd())).toBe(true);
    expect(log().match(/^### /gm)).toHaveLength(2);
  });

  it('writes the whole run beside it, under its time and hash', () => {
    const { file } = appendRun(root, fixedTold({ dirty: true }), TEXTS);
    expect(file).toBe('measurements/2026-11-20T18-51-07Z-abc1234-dirty.json');
    expect(JSON.parse(readFileSync(join(root, file), 'utf8'))).toEqual(fixedTold({ dirty: true }).record);
    expect(log()).toContain(`](${file})`);
  });

  it('leaves no temporary file behind', () => {
    appendRun(root, fixedTold(), TEXTS);
    expect(readdirSync(root).toSorted()).toEqual(['MEASUREMENTS.md', 'measurements']);
    expect(readdirSync(join(root, 'measurements'))).toHaveLength(1);
  });

  it('finds the newest hash, without its mark', () => {
    expect(lastHash(root)).toBeUndefined();
    appendRun(root, fixedTold(), TEXTS);
    appendRun(root, fixedTold({ commit: 'fff0000', dirty: true }), TEXTS);
    expect(lastHash(root)).toBe('fff0000');
  });
});
