import { count } from '../../log/format.ts';
import { subjectName } from '../../log/names.ts';
import type { RecordedRun } from '../../recorded/recorded-run.ts';
import { frameCounts, timeResults } from '../../run-record.ts';
import { newestWith, type ReportChart, takenWhen } from '../chart.ts';
import { group, type Row } from '../frame/row.ts';
import { rowsChart } from '../frame/rows.ts';
import { zeroAxis } from '../frame/ticks.ts';
import { isShort, scenarioTitle } from '../scenario-names.ts';
import { seriesOf } from '../series.ts';

const SUBJECTS = ['lumenize', 'capnweb', 'raw', 'raw-one-frame'];
const COLUMNS = [206, 340, 690] as const;
/** Scenarios that are measured together, and so are from one run. */
const KINDS = [isShort, (scenario: string) => scenario.startsWith('pipeline/')];
/** What goes down, beside what goes up in full colour. */
const DOWN = 0.55;

/** What one operation of a subject costs the wire. */
interface WireCost {
  readonly scenario: string;
  readonly subject: string;
  readonly up: number;
  readonly down: number;
}

interface Words {
  readonly what: 'bytes' | 'frames';
  readonly title: string;
  readonly unit: string;
}

/** Bytes of each operation, up and down. */
export const BYTES: ReportChart = wireChart({ what: 'bytes', title: 'Bytes per operation', unit: 'B' });

/** Frames of each operation, up and down. */
export const FRAMES: ReportChart = wireChart({ what: 'frames', title: 'Frames per operation', unit: '' });

function wireChart({ what, title, unit }: Words): ReportChart {
  return {
    name: what,
    title,
    alt: `${title} of Lumenize RPC, Cap'n Web and raw JSON, up and down`,
    command: 'npm test -- performance',
    draw(runs, theme) {
      const found = KINDS.flatMap((isOfKind) => newestWith(runs, (run) => costsOf(run, what, isOfKind)) ?? []);
      if (found.length === 0) return undefined;
      const costs = found.flatMap(({ data }) => data);
      const from = [...new Set(found.map(({ run }) => takenWhen(run)))].join('; ');
      const groups = Map.groupBy(costs, ({ scenario }) => scenario);
      const rows = [...groups].flatMap(([scenario, own]) =>
        group(
          scenarioTitle(scenario),
          own.map((cost) => rowOf(cost, unit)),
        ),
      );
      const axis = zeroAxis(costs.map(({ up, down }) => up + down));
      return rowsChart(
        {
          title,
          subtitle: [
            'Up to the server in full colour, and down beside it; a call of many in a turn has its share.',
            `Counted at the socket, without its own headers; ${from}.`,
          ],
          rows,
          axis: { ...axis, type: 'linear', title: `${what} per operation, from zero` },
          columns: COLUMNS,
        },
        theme,
      );
    },
  };
}

function costsOf(run: RecordedRun, what: Words['what'], isWanted: (scenario: string) => boolean): WireCost[] {
  const costs = timeResults(run).flatMap((result): WireCost[] => {
    const counts = frameCounts(result);
    const { scenario, subject, host, blockOperations, blocks, n } = result;
    if (!counts || host !== 'workerd' || !isWanted(scenario) || !SUBJECTS.includes(subject)) return [];
    // Frames are counted per sample, and a sample may be a turn of many operations.
    const operations = (blockOperations * blocks) / n;
    const [up, down] = what === 'bytes' ? [counts.bytesUp, counts.bytesDown] : [counts.framesUp, counts.framesDown];
    return [{ scenario, subject, up: up / operations, down: down / operations }];
  });
  return costs.some(({ subject }) => subject === 'lumenize') ? costs : [];
}

function rowOf({ subject, up, down }: WireCost, unit: string): Row {
  const series = seriesOf(subject);
  return {
    name: subjectName(subject),
    series,
    bars: [
      { series, from: 0, to: up },
      { series, from: up, to: up + down, opacity: DOWN },
    ],
    figures: `${count(up)} + ${count(down)} ${unit}`.trim(),
  };
}
