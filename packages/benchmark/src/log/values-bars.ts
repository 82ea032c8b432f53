import type { Place } from '../hosts/host.ts';
import type { PayloadKind } from '../payloads/payload.ts';
import type { Comparison } from '../statistics/comparison.ts';
import { timedResults, type ValuesFindings } from '../values/record.ts';
import type { BarResult } from './bar-result.ts';
import { aimed } from './bars.ts';
import { interval, ratio } from './format.ts';
import { HOST_NAMES } from './names.ts';
import { CLOSE_TO_FIRST, standings } from './values-standing.ts';

/** Data that JSON can say: its must, and what is aimed at. */
const PLAIN = { must: 0.8, aim: 1.2 } as const;
const ROWS = { payload: 'rows-200', must: 0.45, aim: 0.33 } as const;
/** Tiny values may take half as long again as JSON does. */
const TINY = { must: 1 / 1.5 } as const;
/** What is meant by the speed of copying memory: a fifth may go to everything else. */
const COPY = { payload: 'bytes-1MiB', must: 0.8 } as const;

/** Compares a run with the bars that concern codecs, place by place; a bar that it has no figures for is left out. */
export function codecBars(record: ValuesFindings): BarResult[] {
  const hosts = [...new Set(record.results.map(({ host }) => host))];
  return [
    ...hosts.flatMap((host) => [
      ...firstEverywhere(record, host),
      ...againstJson(record, host, 'plain', PLAIN.must, PLAIN.aim),
      ...againstJson(record, host, 'tiny', TINY.must, undefined),
      ...copySpeed(record, host),
    ]),
    ...bytesOfRows(record),
  ];
}

function firstEverywhere(record: ValuesFindings, host: Place): BarResult[] {
  const here = standings(record).filter((each) => each.host === host);
  if (here.length === 0) return [];
  const open = here.filter(({ place }) => place === 'no conclusion').length;
  const first = here.filter(({ place }) => place === 'first').length;
  const close = here.filter(({ place }) => place === 'within 10 %').length;
  const worst = here.toSorted((a, b) => a.closest.ratio - b.closest.ratio)[0];
  const { closest, payload } = worst;
  return [
    {
      name: `${HOST_NAMES[host]}: every payload, against the other codecs in JavaScript`,
      must: `within 10 % of the first (≥ ${ratio(CLOSE_TO_FIRST)})`,
      aim: aimed('first', first === here.length),
      measured:
        `${first} first, ${close} within 10 %, ${here.length - first - close - open} behind, ${open} open; least: ` +
        `${payload} ${figure(closest)} against ${closest.baseline}`,
      outcome: open > 0 && worst.place === 'no conclusion' ? 'no conclusion' : outcomeOf(closest, CLOSE_TO_FIRST),
    },
  ];
}

function againstJson(
  record: ValuesFindings,
  host: Place,
  kind: PayloadKind,
  must: number,
  goal: number | undefined,
): BarResult[] {
  const here = record.comparisons.filter(
    (each) =>
      each.host === host &&
      each.subject === 'lumenize' &&
      each.baseline === 'JSON' &&
      record.payloads[each.scenario] === kind,
  );
  return here.map((each) => ({
    name: `${HOST_NAMES[host]}: ${each.scenario}, against JSON`,
    must: `≥ ${Number(must.toFixed(2))}`,
    aim: goal === undefined ? '' : aimed(`≥ ${goal}`, each.ratio >= goal),
    measured: figure(each),
    outcome: outcomeOf(each, must),
  }));
}

function copySpeed(record: ValuesFindings, host: Place): BarResult[] {
  const found = record.comparisons.find(
    (each) =>
      each.host === host && each.subject === 'lumenize' && each.baseline === 'copy' && each.scenario === COPY.payload,
  );
  if (!found) return [];
  const name = `${HOST_NAMES[host]}: ${COPY.payload}, against copying twice`;
  return [{ name, must: `≥ ${COPY.must}`, aim: '', measured: figure(found), outcome: outcomeOf(found, COPY.must) }];
}

function bytesOfRows(record: ValuesFindings): BarResult[] {
  const bytesOf = (codec: string) =>
    timedResults(record).find(({ scenario, subject }) => scenario === ROWS.payload && subject === codec)?.bytes;
  const [ours, json] = [bytesOf('lumenize'), bytesOf('JSON')];
  if (ours === undefined || json === undefined) return [];
  const share = ours / json;
  return [
    {
      name: `bytes of ${ROWS.payload}, of JSON’s`,
      must: `≤ ${ROWS.must}`,
      aim: aimed(`≤ ${ROWS.aim}`, share <= ROWS.aim),
      measured: `${share.toFixed(3)} (${ours} of ${json})`,
      outcome: share <= ROWS.must ? 'met' : 'missed',
    },
  ];
}

function figure({ ratio: value, ci95 }: Comparison<Place>): string {
  return `${value.toFixed(3)} (${interval(ci95)})`;
}

function outcomeOf({ ratio: value, ci95, verdict }: Comparison<Place>, must: number): BarResult['outcome'] {
  if (verdict === 'no conclusion') return 'no conclusion';
  if (value < must) return 'missed';
  return ci95[0] < must ? 'met, but the interval reaches below' : 'met';
}
