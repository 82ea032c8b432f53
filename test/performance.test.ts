// Replaces console.debug with a no-op, so that nobody's debug output is measured.
import '@transformation-dev/debug';
import { expect, inject, test } from 'vitest';
import { WORK_FAMILIES } from '../packages/benchmark/src/blocks/family-profiles.ts';
import { readGitState } from '../packages/benchmark/src/environment/git.ts';
import { COUNTER } from '../packages/benchmark/src/families/counter.ts';
import { FEATURE_COST } from '../packages/benchmark/src/families/feature-cost.ts';
import { workFamily } from '../packages/benchmark/src/families/work.ts';
import { assertLoggable } from '../packages/benchmark/src/log/assert-loggable.ts';
import { terminalReport } from '../packages/benchmark/src/log/terminal-report.ts';
import { logRun, measure } from '../packages/benchmark/src/measure.ts';
import { refreshReport } from '../packages/benchmark/src/report/refresh-report.ts';
import { type RunRecord, sizeResults, timeResults, unavailableResults } from '../packages/benchmark/src/run-record.ts';
import type {} from '../packages/benchmark/src/vitest-setup.ts';

// Everything is checked where it is measured: a wrong answer, an error or a lost connection rejects the run.
const mode = inject('performanceMode');

test.runIf(mode === 'measure')(
  'measures the short profile, prints it and appends it to the log',
  { timeout: 180_000 },
  async () => {
    const allowDirty = process.env.MEASURE_ALLOW_DIRTY === '1';
    assertLoggable(readGitState(), allowDirty);
    const finished = await measure('short', [COUNTER], { extent: 'alone' });
    const { log, file } = logRun(finished, {
      title: process.env.MEASURE_TITLE,
      description: process.env.MEASURE_DESCRIPTION,
      allowDirty,
    });
    await refreshReport();
    process.stdout.write(`\n${terminalReport(finished)}\n\nAppended to ${log}; all figures in ${file}\n`);

    expectEverySubject(finished.record);
    expect(new Set(finished.record.results.map(({ family }) => family))).toContain('size');
  },
);

test.runIf(mode === 'check')(
  'runs one quick block of every scenario with every subject, and logs nothing',
  { timeout: 120_000 },
  async () => {
    const { record } = await measure('quick', [COUNTER], { extent: 'quick' });

    expectEverySubject(record);
    const read = timeResults(record).filter(({ scenario }) => scenario === 'getValue/sequential');
    expect(read.find(({ subject }) => subject === 'raw')).toMatchObject({ framesUp: 1, framesDown: 1 });
    expect(sizeResults(record).map(({ subject }) => subject)).toEqual(['lumenize', 'capnweb']);
    for (const result of timeResults(record)) expect(result.min).toBeGreaterThan(0);
  },
);

/** What comes to no end now and then, and what is not there yet. */
const KNOWN = [/^stream\/down-64KiB capnweb(-plain)?$/, /^feature-cost\/.* tracing$/];

test.runIf(mode === 'check')(
  'runs one quick block of every scenario of the other families, and finds nothing else missing',
  { timeout: 120_000 },
  async () => {
    const { record } = await measure('quick', [...WORK_FAMILIES.map(workFamily), FEATURE_COST], { extent: 'quick' });

    const missing = unavailableResults(record).map(({ scenario, subject }) => `${scenario} ${subject}`);
    expect(missing.filter((each) => !KNOWN.some((known) => known.test(each)))).toEqual([]);
    const chain = timeResults(record).filter(({ scenario }) => scenario === 'pipeline/chain-3');
    // Now and then a frame says which steps garbage collection has let go of.
    const one = expect.closeTo(1, 1);
    expect(chain.find(({ subject }) => subject === 'lumenize')).toMatchObject({ framesUp: one, framesDown: one });
    const deliveries = timeResults(record).filter(({ scenario }) => scenario === 'events/to-100');
    const everyEvent = ['lumenize', 'lumenize-batches', 'capnweb', 'raw', 'capnweb-plain', 'raw-plain'];
    expect(deliveries.map(({ subject, n }) => `${subject} ${n}`)).toEqual(everyEvent.map((each) => `${each} 1000`));
    for (const result of timeResults(record)) expect(result.min).toBeGreaterThan(0);
  },
);

/** All subjects took part on workerd and, in at least one scenario, on `wrangler dev`. */
function expectEverySubject(record: RunRecord): void {
  for (const host of ['workerd', 'wrangler-dev']) {
    const subjects = timeResults(record).flatMap((result) => (result.host === host ? [result.subject] : []));
    expect([...new Set(subjects)]).toEqual(
      expect.arrayContaining(['lumenize', 'lumenize-accept', 'capnweb', 'raw', 'raw-accept']),
    );
  }
}
