import { describe, expect, it } from 'vitest';
import { familyProfile, WORK_FAMILIES } from '../src/blocks/family-profiles.ts';
import { counterProfile, type Profile } from '../src/blocks/profiles.ts';
import { SIZE } from '../src/families/size.ts';
import { featureProfile } from '../src/features/profile.ts';
import { linksProfile } from '../src/links/profile.ts';
import type { BarResult } from '../src/log/bar-result.ts';
import { barResults } from '../src/log/bars.ts';
import { RATIO_BARS } from '../src/log/ratio-bars.ts';
import { codecBars } from '../src/log/values-bars.ts';
import { memoryBar } from '../src/memory/memory-bar.ts';
import { PAYLOADS } from '../src/payloads/all.ts';
import { LAUNCHES_FOR_VERDICT } from '../src/statistics/comparison.ts';
import { throughputProfile } from '../src/throughput/profile.ts';
import { promisedBlocks, promisedMemory, promisedValues, WHOLE } from './support/promised.ts';

const CLIENT = { scenario: 'connect and call', subject: 'lumenize', host: 'browser', value: 4900 } as const;
const CLIENT_DETAIL = { family: 'size', unit: 'B', n: 1, detail: { minifiedBytes: 9000, brotliBytes: 4500 } } as const;

/** Everything of the full profile that is measured in blocks. */
const PROFILES: readonly Profile[] = [
  counterProfile(WHOLE),
  ...WORK_FAMILIES.map((family) => familyProfile(family, WHOLE)),
  linksProfile(WHOLE),
  featureProfile(WHOLE),
  throughputProfile(WHOLE),
];

const inBothPlaces = (of: (place: string) => readonly string[]) => ['Node', 'workerd'].flatMap(of);
const payloads = (...kinds: string[]) => [...PAYLOADS.values()].filter(({ kind }) => kinds.includes(kind));

/** The bars that the project has set itself, and the rows that each is told in. */
const BARS: Readonly<Record<string, readonly string[]>> = {
  'reads against Cap’n Web': ['read, one at a time, against Cap’n Web', 'read, hibernation off, against Cap’n Web'],
  'raw JSON on the same kind of socket': ['read', 'increment'].flatMap((call) => [
    `${call}, against raw JSON`,
    `${call}, hibernation off, against raw JSON`,
  ]),
  'a turn of increments': ['100 increments in one turn, against Cap’n Web'],
  'a pipeline': ['three-step pipeline, against Cap’n Web'],
  echoes: ['200 rows', '64 KiB of bytes', '1 MiB of bytes'].map((what) => `${what} echoed, against Cap’n Web`),
  'frames and bytes': ['frames and bytes of increment(), up + down'],
  'the client': ['client bundle, gzip'],
  'every payload, against codecs': inBothPlaces((place) => [
    `${place}: every payload, against the other codecs in JavaScript`,
    `${place}: bytes-1MiB, against copying twice`,
  ]),
  'data of JSON, against JSON': [
    ...inBothPlaces((place) => payloads('plain', 'tiny').map(({ name }) => `${place}: ${name}, against JSON`)),
    'bytes of rows-200, of JSON’s',
  ],
  connecting: ['connect to first result, against Cap’n Web'],
  'fan-out': ['an event', '20 events'].map((what) => `${what} to 1000 subscribers, against Cap’n Web callbacks`),
  memory: ['memory per idle connection, hibernating, against a raw socket'],
};

describe('a full run', () => {
  const found = PROFILES.map(promisedBlocks);
  const bars: readonly BarResult[] = [
    ...found.flatMap(barResults),
    ...codecBars(promisedValues()),
    ...memoryBar(promisedMemory()),
    ...SIZE.entry({ results: [{ ...CLIENT, ...CLIENT_DETAIL }], comparisons: [], launches: [] }).bars,
  ];
  const names = bars.map(({ name }) => name);

  it.each(Object.keys(BARS))('has the rows of the bar “%s” once each', (bar) => {
    expect(names.filter((name) => BARS[bar].includes(name)).toSorted()).toEqual(BARS[bar].toSorted());
  });

  it('has no bar that is in no list', () => {
    expect(names.toSorted()).toEqual(Object.values(BARS).flat().toSorted());
    expect(Object.values(BARS).flat()).toEqual(expect.arrayContaining(RATIO_BARS.map(({ name }) => name)));
  });

  it.each(RATIO_BARS)('has launches and rounds for a verdict of “$name”', ({ scenario, subject, baseline }) => {
    const ratio = found
      .flatMap(({ comparisons }) => comparisons)
      .find((each) => each.scenario === scenario && each.subject === subject && each.baseline === baseline);
    expect(ratio?.launches).toBeGreaterThanOrEqual(LAUNCHES_FOR_VERDICT);
    expect(ratio?.rounds).toBeGreaterThanOrEqual(6);
  });

  it('has a conclusion for memory', () => {
    expect(memoryBar(promisedMemory())[0].outcome).toBe('met');
  });
});
