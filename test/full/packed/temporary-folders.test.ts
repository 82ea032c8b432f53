import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GuideProject } from '../../packed/guide-project.ts';
import { PackedProject } from '../../packed/packed-project.ts';
import { StarterProject } from '../../packed/starter-project.ts';
import { serveWorker } from '../../support/workerd.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lumenize-temporary-'));
  vi.stubEnv('TMPDIR', folder);
  // There is no npm in it.
  vi.stubEnv('PATH', folder);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

test.each([
  ['packages are packed and installed', () => PackedProject.create()],
  ['a guide is followed', () => GuideProject.create('docs/guides/getting-started.md')],
  ['the starter is installed', () => StarterProject.create()],
  [
    'a Worker is served',
    () => serveWorker({ main: 'none.ts', compatibilityDate: '2026-10-15', compatibilityFlags: [], objects: {} }),
  ],
])('nothing is left behind where %s and that fails', async (_what, create) => {
  await expect(create()).rejects.toThrow();
  expect(await readdir(folder)).toEqual([]);
});
