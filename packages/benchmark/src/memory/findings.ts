import { mean } from 'simple-statistics';
import type { LaunchRecord, UnavailableResult } from '../blocks/record.ts';
import type { FamilyFindings } from '../families/family.ts';
import type { FigureResult } from '../families/figure-result.ts';
import { meanInterval, ratioInterval } from '../statistics/mean-interval.ts';
import { slopeOf } from '../statistics/slope.ts';
import type { SubjectName } from '../subjects/subject.ts';
import { MEMORY_CONTROL, NEVER_HIBERNATES } from './profile.ts';
import type { IdleReading, LoadReading } from './reading.ts';
import type { Room } from './room.ts';

/** What the family *memory* found. */
export interface MemoryFindings extends FamilyFindings {
  readonly results: readonly (FigureResult | UnavailableResult)[];
  readonly launches: readonly LaunchRecord[];
}

const HERE = { family: 'memory', host: 'workerd' } as const;
export const AWAKE = 'connection/awake';
export const HIBERNATING = 'connection/hibernating';
/** Follows the name of a state where frames may be compressed. */
export const COMPRESSED = ', compressed';
export const EMPTY = 'process/idle';
export const LOAD = 'process/under-load';
/** Bytes a connection over those of another subject, whose name follows. */
export const RATIO = 'ratio to';

/** What is ever compared, in either state. */
const PAIRS: readonly (readonly [subject: SubjectName, baseline: SubjectName])[] = [
  ['lumenize', 'raw'],
  ['lumenize', 'capnweb'],
  ['lumenize-accept', 'raw-accept'],
  ['lumenize-accept', 'capnweb'],
];

/** Makes rows of what was read; `room` says how many connections there could be. */
export function memoryFindings(
  subjects: readonly SubjectName[],
  idle: readonly IdleReading[],
  load: readonly LoadReading[],
  room: Room & { readonly wanted: number },
): MemoryFindings {
  const states = [
    { scenario: AWAKE, hibernates: false },
    { scenario: HIBERNATING, hibernates: true },
  ];
  const results = states.flatMap(({ scenario, hibernates }): (FigureResult | UnavailableResult)[] => {
    const of = (subject: SubjectName) => idle.filter((each) => each.arm === armOf(subject, hibernates));
    const rows = subjects.map((subject) => {
      const why = hibernates ? NEVER_HIBERNATES[subject] : undefined;
      return why === undefined ? slopeRow(scenario, subject, of(subject), room) : cannot(scenario, subject, why);
    });
    return [
      ...rows,
      ...subjects.flatMap((subject) => {
        const readings = idle.filter((each) => each.arm === `${armOf(subject, hibernates)}${COMPRESSED}`);
        return readings.length === 0 ? [] : [slopeRow(`${scenario}${COMPRESSED}`, subject, readings, room)];
      }),
      ...PAIRS.flatMap(([subject, baseline]) => ratioRow(scenario, subject, baseline, of(subject), of(baseline))),
      ...(hibernates ? controlRow(scenario, of('lumenize'), idle) : []),
    ];
  });
  return {
    results: [...processRow(idle, load), ...results, ...loadRows(subjects, load)],
    comparisons: [],
    launches: idle.map(({ startMs, measuredMs, client }) => ({
      ...{ host: 'workerd', startMs, measuredMs, warmUps: [], client },
    })),
  };
}

/** What is found where no system tells of memory. */
export function nothingToRead(subjects: readonly SubjectName[]): MemoryFindings {
  const why = 'there is no /proc here that says what memory workerd has';
  const scenarios = [AWAKE, HIBERNATING, LOAD];
  const results = scenarios.flatMap((scenario) => subjects.map((subject) => cannot(scenario, subject, why)));
  return { results, comparisons: [], launches: [] };
}

function armOf(subject: SubjectName, hibernates: boolean): string {
  return `${subject}/${hibernates ? 'hibernating' : 'awake'}`;
}

function slope({ points }: IdleReading, of: 'residentBytes' | 'openFiles'): number {
  return slopeOf(points.map((point) => [point.connections, point[of]]));
}

function slopeRow(
  scenario: string,
  subject: SubjectName,
  readings: readonly IdleReading[],
  room: Room & { readonly wanted: number },
): FigureResult {
  const detail: Record<string, number> = {};
  for (const [place, { connections }] of readings[0].points.entries()) {
    detail[`residentAt${connections}Bytes`] = Math.round(
      mean(readings.map(({ points }) => points[place].residentBytes)),
    );
  }
  detail.openFilesPerConnection = mean(readings.map((reading) => slope(reading, 'openFiles')));
  detail.connections = readings[0].points.at(-1)!.connections;
  detail.connectionsWanted = room.wanted;
  detail.openFilesLimit = room.openFilesLimit;
  const interval = meanInterval(readings.map((reading) => slope(reading, 'residentBytes')));
  return { ...HERE, scenario, subject, unit: 'B/connection', ...interval, detail };
}

/** Readings of one round are compared with one another: what the machine did meanwhile, it did to both. */
function ratioRow(
  scenario: string,
  subject: string,
  baseline: string,
  ours: readonly IdleReading[],
  theirs: readonly IdleReading[],
): FigureResult[] {
  const ratios = ours.flatMap((reading) => {
    const other = theirs.find(({ round }) => round === reading.round);
    if (!other) return [];
    const bytes = [slope(reading, 'residentBytes'), slope(other, 'residentBytes')];
    // So few connections that the noise is larger than they are say nothing.
    return bytes.every((each) => each > 0) ? [bytes[0] / bytes[1]] : [];
  });
  if (ratios.length === 0) return [];
  return [{ ...HERE, scenario: `${scenario}, ${RATIO} ${baseline}`, subject, unit: 'ratio', ...ratioInterval(ratios) }];
}

function controlRow(scenario: string, ours: readonly IdleReading[], idle: readonly IdleReading[]): FigureResult[] {
  const again = idle.filter(({ arm }) => arm === MEMORY_CONTROL.id);
  return ratioRow(scenario, 'lumenize', 'lumenize', ours, again);
}

function processRow(idle: readonly IdleReading[], load: readonly LoadReading[]): FigureResult[] {
  const empty = [...idle, ...load].map(({ emptyBytes }) => emptyBytes);
  if (empty.length === 0) return [];
  return [{ ...HERE, scenario: EMPTY, subject: 'workerd', unit: 'B', ...meanInterval(empty) }];
}

function loadRows(subjects: readonly SubjectName[], load: readonly LoadReading[]): FigureResult[] {
  return subjects.flatMap((subject): FigureResult[] => {
    const readings = load.filter((each) => each.subject === subject);
    if (readings.length === 0) return [];
    const of = (key: 'emptyBytes' | 'afterBytes' | 'calls') => Math.round(mean(readings.map((each) => each[key])));
    const interval = meanInterval(readings.map(({ peakBytes }) => peakBytes));
    const detail = { idleBytes: of('emptyBytes'), afterwardsBytes: of('afterBytes'), calls: of('calls') };
    return [{ ...HERE, scenario: LOAD, subject, unit: 'B', ...interval, detail }];
  });
}

function cannot(scenario: string, subject: SubjectName, unavailable: string): UnavailableResult {
  return { ...HERE, scenario, subject, unavailable };
}
