import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Makes a directory that is removed when the test has ended. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'benchmark-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
