import { textTable } from '../../../../tools/text-table/text-table.ts';
import type { FamilyEntry } from '../families/family.ts';
import type { FigureResult } from '../families/figure-result.ts';
import { interval, list, percent } from '../log/format.ts';
import { subjectName } from '../log/names.ts';
import { unavailableResults } from '../run-record.ts';
import { LAUNCHES_FOR_VERDICT } from '../statistics/comparison.ts';
import { AWAKE, COMPRESSED, EMPTY, HIBERNATING, LOAD, type MemoryFindings, RATIO } from './findings.ts';
import { LOAD_CONNECTIONS } from './launches.ts';
import { memoryBar } from './memory-bar.ts';
import { differs, figures } from './ratios.ts';

/** Puts what was found of memory into words and tables. */
export function memoryEntry(found: MemoryFindings): FamilyEntry {
  return {
    configuration: configuration(found),
    results: [slopeTable(found), ratioTable(found), processTable(found), unavailableTable(found)]
      .filter(Boolean)
      .join('\n\n'),
    comparison: '',
    variance: variance(found),
    analysis: analysis(found),
    bars: memoryBar(found),
  };
}

function slopes(found: MemoryFindings): FigureResult[] {
  return figures(found).filter(({ unit }) => unit === 'B/connection');
}

function configuration(found: MemoryFindings): string[] {
  const detail = slopes(found)[0]?.detail;
  if (!detail) return ['Memory: not measured, for want of a /proc'];
  const { connections, connectionsWanted, openFilesLimit } = detail;
  const limit = Number.isFinite(openFilesLimit) ? `${openFilesLimit} open files` : 'no number of open files';
  const reached =
    connections < connectionsWanted
      ? `the limit of ${openFilesLimit} open files lets ${connections} connections be, of ${connectionsWanted} wanted`
      : `up to ${connections} connections; this machine lets a process have ${limit}`;
  return [
    `Memory: resident bytes of the workerd process, from /proc, when garbage has been collected; connections of one object, each by the subject’s own client and with a call made; a fresh workerd for each line of a round`,
    `Slope: least squares over the numbers of connections, ${reached}; each takes two file descriptors of workerd, one of the client, and one of the ports that the machine gives out (28,232 by default)`,
    'Hibernating: all objects leave memory with their sockets open (evictAllDurableObjects), which workerd does by itself after ten seconds without a call; that they had left, and that every connection answers, is made sure of',
    'Compression of frames (permessage-deflate) is off but in the lines that say so: workerd offers it unless the Worker has the flag no_web_socket_compression, and it takes about 200 kB of a connection. Lumenize RPC refuses it by itself; of the others, what is compared favours them',
    `Under load: the most that was ever resident while ${LOAD_CONNECTIONS} connections increment one counter, each one call after the other`,
  ];
}

function slopeTable(found: MemoryFindings): string {
  const rows = slopes(found).map((each) => {
    const { openFilesPerConnection, ...detail } = each.detail!;
    const points = Object.entries(detail).flatMap(([name, bytes]) => {
      const [, at] = /^residentAt(\d+)Bytes$/.exec(name) ?? [];
      return at === undefined ? [] : [`${at}: ${megabytes(bytes)}`];
    });
    const state = each.scenario.split('/')[1];
    const bytes = Math.round(each.value);
    return [
      state,
      each.subject,
      bytes,
      bytesInterval(each),
      each.n,
      openFilesPerConnection.toFixed(2),
      points.join(', '),
    ];
  });
  if (rows.length === 0) return '';
  const head = ['state', 'subject', 'B/connection', '95 % interval', 'launches', 'files', 'MB by connections'];
  return `Resident memory of workerd per idle connection\n${textTable(head, 2, rows)}`;
}

function ratioTable(found: MemoryFindings): string {
  const isTrusted = !controlOf(found).some(differs);
  const rows = figures(found)
    .filter(({ unit }) => unit === 'ratio')
    .map((each) => {
      const [state, baseline] = each.scenario.split(`, ${RATIO} `);
      const other = baseline === each.subject ? 'itself' : baseline;
      const bounds = each.ci95 ? interval(each.ci95) : '–';
      return [
        state.split('/')[1],
        `${each.subject} / ${other}`,
        verdict(each, isTrusted || other === 'itself'),
        each.value.toFixed(3),
        bounds,
        each.n,
      ];
    });
  if (rows.length === 0) return '';
  const head = ['state', 'subject / other', 'verdict', 'ratio', '95 % interval', 'launches'];
  return `Memory of a connection over that of another subject: below 1, the subject has less\n${textTable(head, 3, rows)}`;
}

/** The ratio of Lumenize RPC to itself, where there are launches enough to trust it. */
function controlOf(found: MemoryFindings): FigureResult[] {
  return figures(found).filter(
    ({ subject, scenario, n }) => scenario === `${HIBERNATING}, ${RATIO} ${subject}` && n >= LAUNCHES_FOR_VERDICT,
  );
}

/** “More” and “less” need an interval without 1, an effect above 3 % and three launches. */
function verdict(ratio: FigureResult, isTrusted: boolean): string {
  if (ratio.n < LAUNCHES_FOR_VERDICT || !isTrusted) return 'no conclusion';
  if (!differs(ratio)) return 'no difference shown';
  return ratio.value > 1 ? 'more' : 'less';
}

function processTable(found: MemoryFindings): string {
  const rows = figures(found)
    .filter(({ scenario }) => scenario === EMPTY || scenario === LOAD)
    .map((each) => {
      const state = each.scenario === EMPTY ? 'idle, no connection' : 'under load, peak';
      const after = each.detail ? megabytes(each.detail.afterwardsBytes) : '';
      return [
        state,
        each.subject,
        megabytes(each.value),
        each.ci95 ? each.ci95.map(megabytes).join('–') : '–',
        after,
        each.n,
      ];
    });
  if (rows.length === 0) return '';
  const head = ['workerd', 'subject', 'MB', '95 % interval', 'MB afterwards', 'launches'];
  return `Resident memory of workerd as a whole\n${textTable(head, 2, rows)}`;
}

function unavailableTable(found: MemoryFindings): string {
  const rows = unavailableResults(found).map(({ scenario, subject, unavailable }) => [scenario, subject, unavailable]);
  return rows.length === 0 ? '' : `Not available\n${textTable(['scenario', 'subject', 'why'], 3, rows)}`;
}

function variance(found: MemoryFindings): string[] {
  const measured = slopes(found);
  const wide = measured.flatMap(({ value, ci95 }) => (ci95 ? [(ci95[1] - ci95[0]) / 2 / value] : []));
  if (wide.length === 0) return ['Memory: one launch of each, so that nothing is known of how it varies.'];
  const single = measured.length - wide.length;
  const others = single === 0 ? '' : `; of ${single} ${single === 1 ? 'row' : 'rows'} there is one launch, and none`;
  return [
    `Memory per connection: intervals reach from ${percent(Math.min(...wide))} to ${percent(Math.max(...wide))} of the value to either side, in ${wide.length} ${wide.length === 1 ? 'row' : 'rows'}${others}.`,
  ];
}

function analysis(found: MemoryFindings): string[] {
  const sentences = controlOf(found).map((control) =>
    differs(control)
      ? `Lumenize RPC "differs" from itself in memory (${control.value.toFixed(2)}): no conclusion is drawn.`
      : 'Lumenize RPC against itself shows no difference in memory: the method holds.',
  );
  const states = [AWAKE, HIBERNATING].flatMap((state) => {
    const parts = slopes(found)
      .filter(({ scenario }) => scenario === state)
      .map(({ subject, value }) => `${subjectName(subject)} ${Math.round(value)} B`);
    const what = state === AWAKE ? 'is awake' : 'hibernates';
    return parts.length === 0 ? [] : [`A connection that idles and ${what} costs workerd: ${list(parts)}.`];
  });
  const compressed = slopes(found).filter(({ scenario }) => scenario.endsWith(COMPRESSED));
  const more = compressed.map(({ subject, value }) => `${subjectName(subject)} ${Math.round(value)} B`);
  if (more.length > 0) states.push(`With frames that may be compressed, as workerd has it by default: ${list(more)}.`);
  const load = figures(found).filter(({ scenario }) => scenario === LOAD);
  const peaks = load.map(({ subject, value }) => `${subjectName(subject)} ${megabytes(value)} MB`);
  return [...sentences, ...states, ...(peaks.length > 0 ? [`Most memory under load: ${list(peaks)}.`] : [])];
}

function bytesInterval({ ci95 }: FigureResult): string {
  return ci95 ? ci95.map(Math.round).join('–') : '–';
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
