import type { Pair } from '../blocks/arms.ts';
import type { BlockFindings } from '../blocks/record.ts';
import type { Place } from '../hosts/host.ts';
import { frameCounts, sizeResults, timeResults } from '../run-record.ts';
import {
  type Comparison,
  isBrokenControl,
  isControl,
  LAUNCHES_FOR_VERDICT,
  pairsIn,
} from '../statistics/comparison.ts';
import type { Verdict } from '../statistics/verdict.ts';
import type { BarResult } from './bar-result.ts';
import { count, list, ms, ratio } from './format.ts';
import { HOST_NAMES, subjectName } from './names.ts';

/** In the order in which they are spoken of. */
export const VERDICTS: readonly Verdict[] = ['faster', 'slower', 'no difference shown', 'no conclusion'];

/** What the numbers support, sentence by sentence. */
export function analysis(run: BlockFindings): string[] {
  const hosts = [...new Set(run.comparisons.map(({ host }) => host))];
  const pairs = hosts.flatMap((host) => {
    const launches = run.launches.filter((launch) => launch.host === host).length;
    const here = run.comparisons.filter((comparison) => comparison.host === host);
    if (launches >= LAUNCHES_FOR_VERDICT) return pairsIn(here).flatMap((pair) => pairSentence(here, pair));
    return [`On ${HOST_NAMES[host]}, no conclusion is drawn: it had fewer launches than ${LAUNCHES_FOR_VERDICT}.`];
  });
  return [
    ...controlSentences(run.comparisons),
    ...pairs,
    ...wireSentence(run),
    ...traceSentence(run),
    ...sizeSentence(run),
  ];
}

/** The outcome of a run in a few sentences. */
export function conclusion(comparisons: readonly Comparison<Place>[], bars: readonly BarResult[]): string[] {
  const named = (outcome: BarResult['outcome']) =>
    bars.filter((each) => each.outcome === outcome).map(({ name }) => name);
  const met = bars.filter(({ outcome }) => outcome.startsWith('met')).length;
  const narrow = named('met, but the interval reaches below');
  const missed = named('missed');
  const open = named('no conclusion');
  const broken = comparisons.filter(isBrokenControl);
  return [
    `${met} of ${bars.length} bars are met.`,
    ...(narrow.length > 0 ? [`Met, but with an interval that reaches below the bar: ${narrow.join('; ')}.`] : []),
    ...(missed.length > 0 ? [`Missed: ${missed.join('; ')}.`] : []),
    ...(open.length > 0 ? [`No conclusion: ${open.join('; ')}.`] : []),
    ...(broken.length > 0 ? ['Where Lumenize RPC differs from itself, this run draws no conclusion.'] : []),
  ];
}

/** What the A/A arm found, in a sentence. */
export function controlSentences(comparisons: readonly Comparison<Place>[]): string[] {
  const controls = comparisons.filter((each) => isControl(each) && each.verdict !== 'no conclusion');
  if (controls.length === 0) return ['Too few rounds to compare Lumenize RPC with itself.'];
  const broken = controls.filter(isBrokenControl);
  if (broken.length === 0) {
    return [
      `Lumenize RPC against itself shows no difference in any of ${controls.length} scenarios: the method holds.`,
    ];
  }
  const where = broken.map(({ scenario, host, ratio: value }) => `${scenario} on ${host} (${ratio(value)})`);
  return [`Lumenize RPC "differs" from itself in ${list(where)}: no conclusion is drawn there.`];
}

/** What comparisons say, a sentence for each place and pair; where they carry no verdict, they say that. */
export function verdictSentences(comparisons: readonly Comparison<Place>[]): string[] {
  return [...Map.groupBy(comparisons, ({ host }) => host).values()].flatMap((here) =>
    pairsIn(here).flatMap((pair) => pairSentence(here, pair)),
  );
}

/** What the comparisons of one place say of a pair, in a sentence, or in none where it was not compared. */
function pairSentence(here: readonly Comparison<Place>[], { subject, baseline }: Pair): string[] {
  const comparisons = here.filter((c) => c.subject === subject && c.baseline === baseline);
  const parts = VERDICTS.flatMap((verdict) => {
    const matching = comparisons.filter((comparison) => comparison.verdict === verdict);
    if (matching.length === 0) return [];
    return [`${verdict} in ${list(matching.map(({ scenario, ratio: value }) => `${scenario} (${ratio(value)})`))}`];
  });
  if (parts.length === 0) return [];
  return [
    `On ${HOST_NAMES[comparisons[0].host]}, ${subjectName(subject)} against ${subjectName(baseline)}: ${parts.join('; ')}.`,
  ];
}

function wireSentence(run: BlockFindings): string[] {
  const costs = ['lumenize', 'capnweb', 'raw'].flatMap((wanted) => {
    const found = timeResults(run).find(
      ({ subject, scenario }) => subject === wanted && scenario === 'increment/sequential',
    );
    const counts = found && frameCounts(found);
    if (!counts) return [];
    const { framesUp, framesDown, bytesUp, bytesDown } = counts;
    return [
      `${subjectName(wanted)} ${count(framesUp)} + ${count(framesDown)} frames and ${count(bytesUp)} + ${count(bytesDown)} bytes`,
    ];
  });
  return costs.length === 0 ? [] : [`One increment costs, up + down: ${costs.join('; ')}.`];
}

function traceSentence(run: BlockFindings): string[] {
  const reads = timeResults(run).filter(({ scenario }) => scenario === 'getValue/sequential');
  const costs = reads
    .filter(({ host }) => host === 'wrangler-dev-traced')
    .flatMap(({ subject, p50 }) => {
      const without = reads.find((each) => each.host === 'wrangler-dev' && each.subject === subject);
      return without ? [`${subjectName(subject)} ${ms(without.p50)} → ${ms(p50)} ms`] : [];
    });
  return costs.length === 0 ? [] : [`What wrangler dev’s trace collector adds to a read (p50): ${costs.join('; ')}.`];
}

function sizeSentence(run: BlockFindings): string[] {
  const sizes = sizeResults(run).map(({ subject, gzip }) => `${subjectName(subject)} ${gzip} bytes`);
  return sizes.length === 0 ? [] : [`What a client loads to connect, minified and compressed: ${list(sizes)}.`];
}
