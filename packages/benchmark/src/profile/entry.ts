import type { FamilyEntry, FamilyFindings } from '../families/family.ts';
import type { FigureResult } from '../families/figure-result.ts';
import { percent, us } from '../log/format.ts';
import { INTERVAL_US } from './profilers.ts';
import { modelTables, stepSum, stepTables } from './tables.ts';

/** Says what the profile found; what is modelled stands apart and says so. */
export function profileEntry({ results }: FamilyFindings): FamilyEntry {
  const figures = results.filter((each): each is FigureResult => 'value' in each);
  const measured = figures.filter(({ scenario }) => scenario.startsWith('profile/'));
  const modelled = figures.filter(({ scenario }) => scenario.startsWith('modelled/'));
  const missing = results.flatMap((each) => {
    return 'unavailable' in each ? [`${each.scenario}, ${each.subject}: not available, since ${each.unavailable}`] : [];
  });
  return {
    configuration: [
      `CPU profiles of client and server at once, a sample every ${INTERVAL_US} µs or as near to it as timers come, while the same call is made again and again; samples by step, divided by calls; time per call and bytes without a profiler`,
      'Modelled: base RTT × round trips + bytes × 8 / bandwidth + time per operation on this machine; bytes of WebSocket frames as they are on the wire until the answer is there, in as few TCP segments as hold them, with 52 bytes of headers each',
    ],
    results: [stepTables(measured), modelTables(modelled), missing.join('\n')].filter(Boolean).join('\n\n'),
    comparison: '',
    variance: spread(measured),
    analysis: [...overhead(measured), ...measured.filter(({ subject }) => subject === 'lumenize').map(sentence)],
    bars: [],
  };
}

function spread(measured: readonly FigureResult[]): string[] {
  const widest = measured.toSorted((a, b) => spreadOf(b) - spreadOf(a))[0];
  if (!widest || widest.n < 2) return ['One launch: nothing is known of how launches differ.'];
  return [
    `Launches differ most for ${widest.scenario}, ${widest.subject}: all steps took ${us(widest.detail!.leastUs)} to ${us(widest.detail!.mostUs)} µs per call.`,
  ];
}

function spreadOf({ detail = {} }: FigureResult): number {
  return detail.mostUs / detail.leastUs;
}

function overhead(measured: readonly FigureResult[]): string[] {
  if (measured.length === 0) return [];
  const shares = measured.map(({ detail = {} }) => detail.profiledRoundTripUs / detail.roundTripUs - 1);
  return [
    `Profiling made calls take ${percent(Math.min(...shares))} to ${percent(Math.max(...shares))} longer; steps are times under it.`,
  ];
}

function sentence({ scenario, value, detail = {} }: FigureResult): string {
  const sides = `${us(stepSum('client', detail))} µs in the client and ${us(stepSum('server', detail))} in the server`;
  return `${scenario}: ${us(value)} µs of JavaScript and native code per call, ${sides}, of ${us(detail.roundTripUs)} µs.`;
}
