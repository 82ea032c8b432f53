import type { BlockFindings } from '../blocks/record.ts';
import type { FigureResult } from '../families/figure-result.ts';
import type { HostName } from '../hosts/host.ts';
import { interval, ratio, us } from '../log/format.ts';
import { unavailableResults } from '../run-record.ts';
import type { Comparison } from '../statistics/comparison.ts';
import { costScenario } from './costs.ts';
import { FEATURES, type Feature } from './feature.ts';

/** What a table says of one feature. */
export interface FeatureRow {
  readonly feature: Feature;
  /** With the interval, in µs; or why there is none. */
  readonly added: string;
  /** The ratio of times, with interval and verdict. */
  readonly ratio: string;
  readonly p99: string;
  readonly p99Ratio: string;
  /** What it adds, in a sentence. */
  readonly told: string;
}

/** The features of one scenario in one place. */
export interface FeatureTable {
  readonly host: HostName;
  readonly scenario: string;
  readonly rows: readonly FeatureRow[];
}

const NONE = '–';
export const FEATURE_HEAD = ['feature', 'µs added a call', 'ratio', 'p99, µs', 'ratio of p99'];

/** One table for each scenario in each place, `base` first. */
export function featureTables(found: BlockFindings): FeatureTable[] {
  const figures = found.results.filter((result): result is FigureResult => 'value' in result);
  const places = new Map(found.comparisons.map((each) => [`${each.host} ${each.scenario}`, each]));
  return [...places.values()].map(({ host, scenario }) => {
    const here = found.comparisons.filter((each) => each.host === host && each.scenario === scenario);
    const costs = figures.filter((each) => each.host === host && each.scenario === costScenario(scenario));
    const rows = FEATURES.flatMap((feature) => {
      if (feature === 'base') return baseRow(costs[0]?.detail);
      const cost = costs.find(({ subject }) => subject === feature);
      const comparison = here.find(({ subject }) => subject === feature);
      if (cost && comparison) return row(feature, cost, comparison);
      const cannot = unavailableResults(found).find(
        (each) => each.host === host && each.scenario === scenario && each.subject === feature,
      );
      return cannot ? [{ feature, added: 'not available', ratio: NONE, p99: NONE, p99Ratio: NONE, told: '' }] : [];
    });
    return { host, scenario, rows };
  });
}

/** The cells of a row, in the order of `FEATURE_HEAD`. */
export function cells({ feature, added, ratio: value, p99, p99Ratio }: FeatureRow): string[] {
  return [feature === 'base' ? 'nothing beside calling' : feature, added, value, p99, p99Ratio];
}

function baseRow(detail: FigureResult['detail']): FeatureRow[] {
  if (detail === undefined) return [];
  const { baseUsPerCall, baseP99Us } = detail;
  const p99 = baseP99Us === undefined ? NONE : us(baseP99Us);
  return [{ feature: 'base', added: `(${us(baseUsPerCall)} a call)`, ratio: NONE, p99, p99Ratio: NONE, told: '' }];
}

function row(feature: Feature, { value, ci95, detail = {} }: FigureResult, comparison: Comparison): FeatureRow[] {
  const { p99Us, p99Ratio, p99RatioLow, p99RatioHigh } = detail;
  const [low, high] = ci95!;
  return [
    {
      feature,
      added: `${signed(value)} (${signed(low)} to ${signed(high)})`,
      ratio: `${ratio(comparison.ratio)} (${interval(comparison.ci95)}) ${comparison.verdict}`,
      p99: p99Us === undefined ? NONE : us(p99Us),
      p99Ratio: p99Ratio === undefined ? NONE : `${ratio(p99Ratio)} (${interval([p99RatioLow, p99RatioHigh])})`,
      told: `${signed(value)} µs, ${signed(low)} to ${signed(high)}`,
    },
  ];
}

/** Formats a difference in µs: a feature may also take less, as far as can be told. */
export function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${us(Math.abs(value))}`;
}
