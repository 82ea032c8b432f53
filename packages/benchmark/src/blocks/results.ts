import { mean, median, standardDeviation } from 'simple-statistics';
import type { HostName } from '../hosts/host.ts';
import type { Arm, Block, FrameCounts, LaunchReport, ScenarioPlan, Unavailability, WireCost } from '../load/plan.ts';
import { scenarioNamed } from '../scenarios/all.ts';
import { encodeSamples } from '../statistics/histogram.ts';
import { summarize } from '../statistics/summary.ts';
import { CONTROL } from './arms.ts';
import type { TimeResult, UnavailableResult } from './record.ts';

/**
 * Gathers what the launches on one host found into one row per scenario and subject, and another where it could not do
 * it, or not always; the A/A arm has none.
 */
export function gatherResults(
  host: HostName,
  plans: readonly ScenarioPlan[],
  reports: readonly LaunchReport[],
  wire: readonly WireCost[],
  control: Arm = CONTROL,
): (TimeResult | UnavailableResult)[] {
  return plans.flatMap(({ scenario, arms }) =>
    arms
      .filter(({ id }) => id !== control.id)
      .flatMap(({ id }): (TimeResult | UnavailableResult)[] => {
        const byLaunch = reports
          .map((report) => report.blocks.filter((block) => block.scenario === scenario && block.arm === id))
          .filter((blocks) => blocks.length > 0);
        const noted = reports
          .flatMap((report) => report.unavailable)
          .filter((each) => each.scenario === scenario && each.arm === id);
        const cannot = noted.length > 0 ? [unavailable(host, scenario, id, noted, byLaunch.flat().length)] : [];
        // A scenario for which there was no time has no row.
        if (byLaunch.length === 0) return cannot;
        const cost = wire.find((each) => each.scenario === scenario && each.arm === id);
        return [row(host, scenario, id, byLaunch.length, byLaunch.flat(), cost), ...cannot];
      }),
  );
}

function unavailable(
  host: HostName,
  scenario: string,
  subject: string,
  noted: readonly Unavailability[],
  blocks: number,
): UnavailableResult {
  const times = blocks > 0 ? `${noted.length} of ${noted.length + blocks} blocks: ` : '';
  return {
    family: scenarioNamed(scenario).family,
    scenario,
    subject,
    host,
    unavailable: `${times}${noted[0].reason}`,
  };
}

function row(
  host: HostName,
  name: string,
  subject: string,
  launches: number,
  blocks: readonly Block[],
  cost: WireCost | undefined,
): TimeResult {
  const { family, sample, operations } = scenarioNamed(name);
  const samples = blocks.flatMap((block) => block.samplesMs);
  const totals = blocks.map((block) => block.totalMs);
  return {
    family,
    scenario: name,
    subject,
    host,
    unit: 'ms',
    sample,
    ...summarize(samples),
    opsPerSecond: (1000 * operations) / mean(totals),
    launches,
    blocks: blocks.length,
    blockOperations: operations,
    blockMedianMs: median(totals),
    blockVariation: standardDeviation(totals) / mean(totals),
    ...wireOf(cost),
    samples: encodeSamples(samples),
  };
}

function wireOf(cost: WireCost | undefined): Partial<FrameCounts> {
  if (!cost) return {};
  const { framesUp, framesDown, bytesUp, bytesDown } = cost;
  return { framesUp, framesDown, bytesUp, bytesDown };
}
