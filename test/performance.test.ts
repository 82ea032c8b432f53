// Replaces console.debug with a no-op, so that nobody's debug output is measured.
import '@transformation-dev/debug';
import { expect, inject, test } from 'vitest';
import type { RunRecord } from '../packages/benchmark/src/engine/record.ts';
import type { Row } from '../packages/benchmark/src/engine/row.ts';
import { readGitState } from '../packages/benchmark/src/environment.ts';
import { SHORT } from '../packages/benchmark/src/families/all.ts';
import { COUNTER } from '../packages/benchmark/src/families/counter.ts';
import { FEATURE_COST } from '../packages/benchmark/src/families/feature-cost.ts';
import { WORK_FAMILIES } from '../packages/benchmark/src/families/work.ts';
import { counterInOneProcess, statisticsTable } from '../packages/benchmark/src/in-one-process.ts';
import { measure } from '../packages/benchmark/src/measure.ts';
import { assertLoggable, logRun, terminalReport } from '../packages/benchmark/src/report/log.ts';
import { refreshReport } from '../packages/benchmark/src/report/report.ts';
import type {} from './support/performance-mode.ts';

// Everything is checked where it is measured: a wrong answer, an error or a lost connection rejects the run.
const mode = inject('performanceMode');

/** The rows of times of a scenario, or of all. */
const times = ({ rows }: RunRecord, wanted?: string): Row[] =>
  rows.filter(({ scenario, summary }) => summary !== undefined && (wanted ?? scenario) === scenario);

test.runIf(mode === 'measure')(
  'measures the short profile, prints it and appends it to the log',
  { timeout: 180_000 },
  async () => {
    const allowDirty = process.env.MEASURE_ALLOW_DIRTY === '1';
    assertLoggable(readGitState(), allowDirty);
    const finished = await measure('short', SHORT, 'alone');
    const { log, file } = logRun(finished, {
      title: process.env.MEASURE_TITLE,
      description: process.env.MEASURE_DESCRIPTION,
      allowDirty,
    });
    await refreshReport();
    process.stdout.write(`\n${terminalReport(finished.record)}\n\nAppended to ${log}; all figures in ${file}\n`);
    process.stdout.write(`\n${statisticsTable(await counterInOneProcess(500))}\n`);

    expectEverySubject(finished.record);
    expect(new Set(finished.record.rows.map(({ family }) => family))).toEqual(new Set(['counter', 'cold', 'size']));
  },
);

test.runIf(mode === 'check')(
  'runs one quick block of every scenario with every subject, and logs nothing',
  { timeout: 120_000 },
  async () => {
    const { record } = await measure('quick', [COUNTER], 'quick');

    expectEverySubject(record);
    const read = times(record, 'getValue/sequential').find(({ subject }) => subject === 'raw');
    expect(read?.detail).toMatchObject({ framesUp: 1, framesDown: 1 });
    for (const { summary } of times(record)) expect(summary!.min).toBeGreaterThan(0);
  },
);

/** What comes to no end now and then, and what is not there yet. */
const KNOWN = [/^stream\/down-64KiB capnweb(-plain)?$/, /^feature-cost\/.* tracing$/];

test.runIf(mode === 'check')(
  'runs one quick block of every scenario of the other families, and finds nothing else missing',
  { timeout: 120_000 },
  async () => {
    const { record } = await measure('quick', [...WORK_FAMILIES, FEATURE_COST], 'quick');

    const missing = record.rows.filter(({ cannot }) => cannot).map(({ scenario, subject }) => `${scenario} ${subject}`);
    expect(missing.filter((each) => !KNOWN.some((known) => known.test(each)))).toEqual([]);
    const chain = times(record, 'pipeline/chain-3').find(({ subject }) => subject === 'lumenize');
    expect(chain?.detail).toMatchObject({ framesUp: 1, framesDown: 1 });
    const everyEvent = ['lumenize', 'lumenize-batches', 'capnweb', 'raw', 'capnweb-plain', 'raw-plain'];
    expect(new Set(times(record, 'events/to-100').map(({ subject, n }) => `${subject} ${n}`))).toEqual(
      new Set(everyEvent.map((each) => `${each} 1000`)),
    );
    for (const { summary } of times(record)) expect(summary!.min).toBeGreaterThan(0);
  },
);

/** All subjects took part on workerd and, in at least one scenario, on `wrangler dev`. */
function expectEverySubject(record: RunRecord): void {
  for (const host of ['workerd', 'wrangler-dev']) {
    const subjects = times(record).flatMap((row) => (row.host === host ? [row.subject] : []));
    expect([...new Set(subjects)]).toEqual(
      expect.arrayContaining(['lumenize', 'lumenize-accept', 'capnweb', 'raw', 'raw-accept']),
    );
  }
}
