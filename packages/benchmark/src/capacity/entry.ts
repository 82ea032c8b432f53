import { CONTROL, PAIRS } from '../blocks/arms.ts';
import type { FamilyEntry } from '../families/family.ts';
import { controlSentences } from '../log/analysis.ts';
import { comparisonTables } from '../log/comparison-tables.ts';
import { interval, list, ms, percent, ratio } from '../log/format.ts';
import { subjectName } from '../log/names.ts';
import { isControl } from '../statistics/comparison.ts';
import type { Verdict } from '../statistics/verdict.ts';
import { LATE_MS } from './load/rung.ts';
import type { CapacityFindings } from './measure.ts';
import type { CapacityResult } from './record.ts';
import { capacityTables, cellTitle } from './tables.ts';

const NOTE =
  'Ratio of clean knees, the subject’s over the baseline’s: above 1, the subject carries more, and “faster” says that. In ' +
  'brackets the 95 % interval, bootstrapped over launches and their ladders. “Faster” and “slower” need an interval ' +
  'without 1 and an effect above 3 %.';

/** What a verdict says of a knee. */
const SAYS: Readonly<Record<Verdict, string>> = {
  faster: 'carries more',
  slower: 'carries less',
  'no difference shown': 'no difference shown',
  'no conclusion': 'no conclusion',
};

/** Puts what was found of capacity into words and tables. */
export function capacityEntry(found: CapacityFindings): FamilyEntry {
  const { results, comparisons } = found;
  return {
    configuration: configuration(found),
    results: capacityTables(results),
    comparison: comparisons.length === 0 ? '' : comparisonTables({ comparisons }, NOTE),
    variance: variance(found),
    analysis: [
      // With one ladder each nothing is compared, and no ratio is in need of an A/A arm.
      ...(comparisons.length === 0 ? [] : controlSentences(comparisons)),
      ...kneeSentences(results),
      ...ratioSentences(found),
      ...unsteadySentence(results),
    ],
    bars: [],
  };
}

function configuration({ launches, results }: CapacityFindings): string[] {
  if (results.length === 0) return [];
  const [{ connections, rungMs, objective }] = results;
  return [
    `Open loop on workerd, ${launches.length} launch${launches.length === 1 ? '' : 'es'}: Poisson arrivals for ${rungMs} ms a load over ${connections} connections of each subject, each call in a turn of its own and timed from its scheduled moment`,
    `Objective: p99 within ${objective.p99Ms} ms and ${percent(objective.completedShare)} of the calls offered completed in time, without an error; a load that misses by its p99 alone is offered once more`,
    'Methods: noop() does nothing; insert() writes a row of about 90 bytes by ctx.storage.sql and is answered when it is durable; one class for all subjects; rows are counted at the end',
    'Choices that favour Cap’n Web and raw JSON: calls come in turns of their own, so that Lumenize RPC finds few to put into one frame',
    'A choice that favours Lumenize RPC: its sockets are not compressed, those of Cap’n Web and raw JSON are, as Workers do by default; capnweb-plain and raw-plain turn that off',
    `The load generator is one process on the machine of the server, and a subject’s own client works in it: where more than 1 % of the arrivals of an overload were sent later than ${LATE_MS} ms, its reasons name the generator`,
  ];
}

function variance({ launches, results, comparisons }: CapacityFindings): string[] {
  if (results.length === 0) return [];
  const spreads = results.flatMap(({ ladders }) => {
    const knees = ladders.flatMap(({ kneePerSecond }) => kneePerSecond ?? []);
    return knees.length > 1 ? [Math.max(...knees) / Math.min(...knees)] : [];
  });
  const controls = comparisons.filter(isControl).map((each) => each.ratio);
  const worst = (of: (client: CapacityFindings['launches'][number]['client']) => number) =>
    Math.max(...launches.map(({ client }) => of(client)));
  const parts = [
    ...(spreads.length > 0
      ? [`the highest knee of a row is at most ${ratio(Math.max(...spreads))} times its lowest`]
      : []),
    ...(controls.length > 0
      ? [`${subjectName(CONTROL.subject)} against itself ${interval([Math.min(...controls), Math.max(...controls)])}`]
      : []),
    `load generator, which looks at the clock all the time, late by ${ms(worst((c) => c.delayP99Ms))} ms (p99) and ${ms(worst((c) => c.delayMaxMs))} ms (max), overloads included`,
  ];
  return [`**Capacity on workerd**: ${parts.join('; ')}.`];
}

function kneeSentences(results: readonly CapacityResult[]): string[] {
  return [...Map.groupBy(results, ({ scenario }) => scenario).values()].map((rows) => {
    const knees = rows.map(({ subject, kneePerSecond }) => {
      return `${subjectName(subject)} ${kneePerSecond === undefined ? 'none' : Math.round(kneePerSecond)}`;
    });
    return `Clean knee of ${cellTitle(rows[0])}, in calls/s: ${list(knees)}.`;
  });
}

function ratioSentences({ comparisons }: CapacityFindings): string[] {
  return PAIRS.flatMap(({ subject, baseline }) => {
    const here = comparisons.filter((each) => each.subject === subject && each.baseline === baseline);
    if (here.length === 0) return [];
    const parts = here.map(
      ({ scenario, verdict, ratio: value }) => `${SAYS[verdict]} in ${scenario} (${ratio(value)})`,
    );
    return [`${subjectName(subject)} against ${subjectName(baseline)}: ${list(parts)}.`];
  });
}

/** How many overloads the generator had a part in. */
function unsteadySentence(results: readonly CapacityResult[]): string[] {
  const beyond = results
    .flatMap(({ ladders }) => ladders.flatMap(({ rungs }) => rungs))
    .filter(({ reasons }) => reasons.length > 0);
  if (beyond.length === 0) return [];
  const withGenerator = beyond.filter(({ reasons }) => reasons.includes('generator')).length;
  return [`In ${withGenerator} of ${beyond.length} loads beyond capacity the load generator could not keep up either.`];
}
