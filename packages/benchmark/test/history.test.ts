import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHistory } from '../src/environment/history.ts';

const directory = mkdtempSync(join(tmpdir(), 'benchmark-history-'));
const root = join(directory, 'full');
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root, encoding: 'utf8' }).trim();

function commit(path: string, subject: string): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), subject);
  git('add', '-A');
  git('commit', '-q', '-m', subject);
  return git('rev-parse', '--short', 'HEAD');
}

describe('readHistory', () => {
  const hashes: string[] = [];
  beforeAll(() => {
    mkdirSync(root);
    git('init', '-q');
    hashes.push(commit('packages/rpc/src/index.ts', 'Begin'));
    hashes.push(commit('docs/a.md', 'Say more'));
    hashes.push(commit('examples/counter/src/worker.ts', 'Count'));
    hashes.push(commit('packages/rpc/test/a.test.ts', 'Try it'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('finds the last commit that changed the code measured', () => {
    const { lastChange } = readHistory(root);
    const [begin, docs, count, test] = hashes;
    expect(lastChange(begin)).toEqual({ hash: begin, subject: 'Begin' });
    expect(lastChange(docs)).toEqual({ hash: begin, subject: 'Begin' });
    expect(lastChange(test)).toEqual({ hash: count, subject: 'Count' });
  });

  it('knows which commit came before which, and that none came before itself', () => {
    const { isBefore } = readHistory(root);
    const [begin, docs] = hashes;
    expect(isBefore(begin, docs)).toBe(true);
    expect(isBefore(docs, begin)).toBe(false);
    expect(isBefore(docs, docs)).toBe(false);
  });

  it('does not know what it has never heard of', () => {
    const history = readHistory(root);
    expect(history.missing).toBeUndefined();
    expect(history.lastChange('0123abc')).toBeUndefined();
    expect(history.isBefore('0123abc', hashes[0])).toBeUndefined();
    expect(history.isBefore(hashes[0], 'none')).toBeUndefined();
  });

  it('says where there is no repository, or a part of one', () => {
    const none = join(directory, 'none');
    mkdirSync(none);
    expect(readHistory(none).missing).toBe('there is no git repository here');
    const shallow = join(directory, 'shallow');
    git('clone', '-q', '--depth', '1', `file://${root}`, shallow);
    expect(readHistory(shallow).missing).toContain('shallow');
  });
});
