import type { BarResult } from '../log/bar-result.ts';
import { aimed } from '../log/bars.ts';
import { interval } from '../log/format.ts';
import type { MemoryFindings } from './findings.ts';
import { differs, ratioTo } from './ratios.ts';

const MUST = 1.3;
const AIM = 1.1;
/** Fewer launches than this are no replication. */
const LAUNCHES = 3;

/** How much memory an idle connection may have, against a hand-written one that hibernates. */
export function memoryBar(found: MemoryFindings): BarResult[] {
  const ratio = ratioTo(found, 'lumenize', 'raw');
  if (!ratio) return [];
  const { value, ci95, n } = ratio;
  const control = ratioTo(found, 'lumenize', 'lumenize');
  const open = n < LAUNCHES || ci95 === undefined || (control !== undefined && differs(control));
  return [
    {
      name: 'memory per idle connection, hibernating, against a raw socket',
      must: `≤ ${MUST}`,
      aim: aimed(`≤ ${AIM}`, value <= AIM),
      measured: ci95 === undefined ? value.toFixed(3) : `${value.toFixed(3)} (${interval(ci95)})`,
      outcome: open
        ? 'no conclusion'
        : value > MUST
          ? 'missed'
          : ci95[1] > MUST
            ? 'met, but the interval reaches below'
            : 'met',
    },
  ];
}
