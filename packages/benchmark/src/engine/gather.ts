import type { Place } from '@lumenize/hosts/host';
import { mean, median, standardDeviation } from 'simple-statistics';
import { encodeSamples, meanInterval, ratioInterval, summarize } from '../statistics/summary.ts';
import type { Block, Figure, Plan, Report, ScenarioShape, WireCost } from './plan.ts';
import type { Row } from './row.ts';

/** Reports of launches, and how to lay them out in rows. */
export interface Gathered {
  readonly family: string;
  readonly host: Place;
  /** The subjects in the order of tables. */
  readonly subjects: readonly string[];
  readonly plan: Pick<Plan, 'scenarios' | 'compared'>;
  readonly reports: readonly Report[];
  readonly wire: readonly WireCost[];
}

type Of = Pick<Row, 'family' | 'host' | 'scenario' | 'subject'>;

/**
 * Gathers the findings of all launches in one place into one row per scenario and subject. If a subject could not do a
 * scenario, or not always, `cannot` says why. There is no row for a scenario that there was no time for, or for the A/A
 * arm.
 */
export function gather({ family, host, subjects, plan, reports, wire }: Gathered): Row[] {
  const found = reports.flatMap(({ blocks = [], figures = [], cannot = [] }) => [...blocks, ...figures, ...cannot]);
  const shapes = new Map<string, ScenarioShape>(plan.scenarios.map((shape) => [shape.name, shape]));
  for (const { scenario: name } of found) if (!shapes.has(name)) shapes.set(name, { name });
  const arms = [...new Set([...subjects, ...found.map(({ arm }) => arm)])].filter(
    (arm) => arm !== plan.compared?.control.id,
  );
  return [...shapes.values()].flatMap((shape) =>
    arms.flatMap((arm) => {
      const ofArm = <Item extends { scenario: string; arm: string }>(items: readonly Item[] = []) =>
        items.filter((each) => each.scenario === shape.name && each.arm === arm);
      const of = { family, host, scenario: shape.name, subject: arm };
      const blocks = reports.map((report) => ofArm(report.blocks).filter(({ samplesMs }) => samplesMs !== undefined));
      const figures = reports.flatMap((report) => ofArm(report.figures));
      const reasons = reports.flatMap((report) => ofArm(report.cannot).map(({ reason }) => reason));
      const timed = blocks.flat().length;
      const cannot = reasons.length === 0 ? {} : { cannot: `${share(reasons.length, timed)}${reasons[0]}` };
      if (timed > 0) return [{ ...timesRow(of, shape, blocks, ofArm(wire)[0]), ...cannot }];
      if (figures.length > 0) return [{ ...figureRow(of, figures), ...cannot }];
      return reasons.length > 0 ? [{ ...of, unit: 'ms', ...cannot }] : [];
    }),
  );
}

function share(failed: number, timed: number): string {
  return timed > 0 ? `${failed} of ${failed + timed} blocks: ` : '';
}

function timesRow(
  of: Of,
  { sample = 'call', operations = 1 }: ScenarioShape,
  launches: readonly (readonly Block[])[],
  wire: WireCost | undefined,
): Row {
  const blocks = launches.flat();
  const samples = blocks.flatMap(({ samplesMs }) => samplesMs!);
  const totals = blocks.map(({ totalMs }) => totalMs);
  const summary = summarize(samples);
  const { scenario: _, arm: __, ...frames } = wire ?? { scenario: '', arm: '' };
  return {
    ...{ ...of, unit: 'ms', value: summary.p50, n: samples.length, sample, summary },
    detail: {
      opsPerSecond: (1000 * operations) / mean(totals),
      launches: launches.filter(({ length }) => length > 0).length,
      blocks: blocks.length,
      blockOperations: operations,
      blockMedianMs: median(totals),
      blockVariation: standardDeviation(totals) / mean(totals),
      ...frames,
    },
    samples: encodeSamples(samples),
  };
}

/**
 * Returns the row of readings: their mean with its interval, or the geometric mean for ratios. The values in `detail`
 * are means too.
 */
function figureRow(of: Of, figures: readonly Figure[]): Row {
  const { unit } = figures[0];
  const values = figures.map(({ value }) => value);
  const names = [...new Set(figures.flatMap(({ detail = {} }) => Object.keys(detail)))];
  const meanOf = (name: string) => mean(figures.flatMap(({ detail }) => detail?.[name] ?? []));
  return {
    ...{ ...of, unit },
    ...(unit === 'ratio' ? ratioInterval(values) : meanInterval(values)),
    ...(names.length > 0 && { detail: Object.fromEntries(names.map((name) => [name, meanOf(name)])) }),
  };
}
