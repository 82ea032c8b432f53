import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordHead, RunRecord } from '../run-record.ts';

/** Reads the runs of the short profile from a directory of measurements, oldest first. */
export function readShortRuns(directory: string): RunRecord[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as RecordHead)
    .filter((run): run is RunRecord => run.profile === 'short')
    .toSorted((a, b) => (a.takenAt < b.takenAt ? -1 : 1));
}
