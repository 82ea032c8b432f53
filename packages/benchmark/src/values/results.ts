import { mean, median, standardDeviation } from 'simple-statistics';
import { type Summary, summarize } from '../statistics/summary.ts';
import type { Operation } from './bench.ts';
import type { Carried, CodecHost, PayloadPlan, ValuesBlock, ValuesReport } from './plan.ts';
import { CODEC_CONTROL } from './profile.ts';
import type { CannotResult, CodecResult, PartSummary } from './record.ts';

const US_PER_MS = 1000;
/** More digits would say nothing, and a run has hundreds of rows. */
const DIGITS = 4;

/** Gathers what the launches on one host found into one row per payload and codec; the A/A arm has none. */
export function gatherCodecResults(
  host: CodecHost,
  plans: readonly PayloadPlan[],
  reports: readonly ValuesReport[],
): (CodecResult | CannotResult)[] {
  return plans.flatMap(({ scenario, arms }) => {
    const found = reports.flatMap(({ payloads }) => payloads.filter(({ payload }) => payload === scenario));
    return arms
      .filter(({ id }) => id !== CODEC_CONTROL.id)
      .map(({ subject }): CodecResult | CannotResult => {
        const row = { family: 'values', scenario, subject, host } as const;
        const carried = found.flatMap((report) => report.carried.filter(({ codec }) => codec === subject));
        const cannot = carried.find((each) => each.cannot !== undefined)?.cannot;
        if (cannot !== undefined) return { ...row, cannot };
        const byLaunch = found.map(({ blocks }) => blocks.filter(({ arm }) => arm === subject));
        const counts = found.map((report) => report.counts[subject]!);
        return { ...row, ...timesOf(byLaunch.flat()), ...countsOf(byLaunch, counts), ...sizesOf(carried) };
      });
  });
}

function timesOf(blocks: readonly ValuesBlock[]) {
  const totals = blocks.map(({ totalMs }) => totalMs);
  const encode = partOf(blocks, 'encode');
  const decode = partOf(blocks, 'decode');
  return {
    unit: 'us' as const,
    ...roundedSummary(summarize(samplesOf(blocks, 'both'))),
    opsPerSecond: rounded(1000 / mean(totals)),
    blockVariation: rounded(standardDeviation(totals) / mean(totals)),
    ...(encode && { encode }),
    ...(decode && { decode }),
  };
}

function countsOf(byLaunch: readonly (readonly ValuesBlock[])[], counts: readonly number[]) {
  return { launches: byLaunch.length, blocks: byLaunch.flat().length, operationsPerSample: median([...counts]) };
}

function sizesOf(carried: readonly Carried[]): { bytes?: number; gzip?: number } {
  const { bytes, gzip } = carried.find((each) => each.bytes !== undefined) ?? {};
  return bytes === undefined ? {} : { bytes, gzip };
}

function partOf(blocks: readonly ValuesBlock[], operation: Operation): PartSummary | undefined {
  const samples = samplesOf(blocks, operation);
  if (samples.length === 0) return undefined;
  const { n, mean: average, p50, p95 } = roundedSummary(summarize(samples));
  return { n, mean: average, p50, p95 };
}

function samplesOf(blocks: readonly ValuesBlock[], operation: Operation): number[] {
  return blocks.flatMap(({ samplesMs }) => (samplesMs[operation] ?? []).map((ms) => US_PER_MS * ms));
}

function roundedSummary({ n, ...figures }: Summary): Summary {
  const all = Object.entries(figures).map(([name, value]) => [name, rounded(value)]);
  return { n, ...Object.fromEntries(all) };
}

function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
