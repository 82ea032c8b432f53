import { textTable } from '../../../../tools/text-table/text-table.ts';
import type { FamilyEntry } from '../families/family.ts';
import type { FigureResult } from '../families/figure-result.ts';
import { controlSentences, verdictSentences } from '../log/analysis.ts';
import { comparisonTables } from '../log/comparison-tables.ts';
import { count, ms, percent } from '../log/format.ts';
import { subjectName } from '../log/names.ts';
import { unavailableResults } from '../run-record.ts';
import type { StartFindings } from './findings.ts';
import { UPDATE_ONCE } from './profile.ts';

/** Puts what was found of starting into words and tables. */
export function startEntry(found: StartFindings): FamilyEntry {
  return {
    configuration: [
      'Import: the time of import() in a fresh process of Node, of the packages as they are built and installed: a few files of Lumenize RPC, one of Cap’n Web',
      'Start to first call: from the start of a workerd process with empty storage to the answer of getValue over a fresh connection of a client that has run nothing yet',
      'Waking: getValue of objects that had left memory with their sockets open (evictAllDurableObjects), which is made sure of',
      'Coming back: a proxy in the client resets a connection just before a call. “resumed” is that call, of getValue, by a client that reconnects by itself after a random wait of up to 250 ms; “new-session” is what a user does whose client does not, as if he had noticed at once, which favours it: a new connection and its first getValue',
      'New code: workerd is killed and started with another version of the Worker on the same port and storage while 50 clients increment one counter, each one call after the other; clients that do not reconnect open connections every 20 ms until one answers, and do not repeat what they lost',
    ],
    results: [timeTable(found), updateTable(found), unavailableTable(found)].filter(Boolean).join('\n\n'),
    comparison: found.comparisons.length === 0 ? '' : comparisonTables(found),
    variance: variance(found),
    analysis: [
      ...controlSentences(found.comparisons),
      ...verdictSentences(found.comparisons),
      ...updateSentences(found),
    ],
    bars: [],
  };
}

function figures(found: StartFindings, unit: string): FigureResult[] {
  return found.results.filter((result): result is FigureResult => 'value' in result && result.unit === unit);
}

function timeTable(found: StartFindings): string {
  const rows = figures(found, 'ms').map(({ scenario, subject, value, ci95, n, detail }) => {
    const interval = ci95 ? ci95.map(ms).join('–') : '–';
    return [scenario, subject, ms(value), interval, n, detail!.samples, ms(detail!.minMs), ms(detail!.maxMs)];
  });
  if (rows.length === 0) return '';
  const head = ['scenario', 'subject', 'ms', '95 % interval', 'launches', 'samples', 'min', 'max'];
  return `Starting and coming back: mean over launches of their medians\n${textTable(head, 2, rows)}`;
}

function updateTable(found: StartFindings): string {
  const rows = figures(found, 'calls lost').map(({ scenario, subject, value, n, detail }) => {
    const { calls, lostThoughRunCalls, repeatedCalls, downMs, answeredAgainMedianMs, answeredAgainMaxMs } = detail!;
    const times = [downMs, answeredAgainMedianMs, answeredAgainMaxMs].map(ms);
    return [
      scenario,
      subject,
      Math.round(calls),
      ...[value, lostThoughRunCalls, repeatedCalls].map(count),
      ...times,
      n,
    ];
  });
  if (rows.length === 0) return '';
  const head = [
    'new code',
    'subject',
    'calls',
    'lost',
    'of them run',
    'run twice',
    'ms down',
    'ms to answer',
    'at most',
    'updates',
  ];
  return `New code under clients that call: calls of one update; times from the end of the old process to the start of the new one, and to a client's next answer\n${textTable(head, 2, rows)}`;
}

function unavailableTable(found: StartFindings): string {
  const rows = unavailableResults(found).map(({ scenario, subject, unavailable }) => [scenario, subject, unavailable]);
  return rows.length === 0 ? '' : `Not available\n${textTable(['scenario', 'subject', 'why'], 3, rows)}`;
}

function variance(found: StartFindings): string[] {
  const parts = figures(found, 'ms').flatMap(({ value, ci95 }) => (ci95 ? [(ci95[1] - ci95[0]) / 2 / value] : []));
  if (parts.length === 0) return ['Starting: one launch, so that nothing is known of how it varies.'];
  return [
    `Starting: intervals reach from ${percent(Math.min(...parts))} to ${percent(Math.max(...parts))} of the value to either side. A resumed connection is compared with none: its time is mostly the random wait before the first attempt.`,
  ];
}

function updateSentences(found: StartFindings): string[] {
  return figures(found, 'calls lost').map(({ scenario, subject, value, n, detail }) => {
    const how = scenario === UPDATE_ONCE ? ' with increments that run exactly once' : '';
    const { calls, repeatedCalls } = detail!;
    const updates = n === 1 ? 'in one update' : `in the mean of ${n} updates`;
    return `New code under ${subjectName(subject)}${how}: ${updates}, ${count(value)} of ${Math.round(calls)} calls were lost and ${count(repeatedCalls)} ran twice.`;
  });
}
