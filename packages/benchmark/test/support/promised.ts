import { CONTROL, PAIRS } from '../../src/blocks/arms.ts';
import type { Profile } from '../../src/blocks/profiles.ts';
import type { BlockFindings } from '../../src/blocks/record.ts';
import { CODECS } from '../../src/codecs/all.ts';
import type { FamilyContext } from '../../src/families/family.ts';
import { memoryFindings } from '../../src/memory/findings.ts';
import { IDLE_ARMS, MEMORY_SUBJECTS, memoryProfile } from '../../src/memory/profile.ts';
import { PAYLOADS } from '../../src/payloads/all.ts';
import { timeResults } from '../../src/run-record.ts';
import { valuesProfile } from '../../src/values/profile.ts';
import type { ValuesFindings } from '../../src/values/record.ts';
import { comparison, fixedRun } from './fixed-run.ts';
import { codecComparison, fixedValuesRun } from './fixed-values-run.ts';

/** What a family is asked for as part of the full profile. */
export const WHOLE: FamilyContext = { extent: 'whole', seed: 1, progress: { start() {}, update() {}, stop() {} } };

const VERDICT = [2, [1.9, 2.1], 'faster'] as const;

/** The findings that a profile leads to if it is measured as it is planned: of each launch that it has at least, every round. */
export function promisedBlocks({ hosts, countFrames, sizes }: Profile): BlockFindings {
  const [time] = timeResults(fixedRun());
  const results = hosts.flatMap(({ host, scenarios }) =>
    scenarios.flatMap(({ scenario, arms }) => {
      const { framesUp, framesDown, bytesUp, bytesDown, ...uncounted } = time;
      const row = countFrames.includes(scenario) ? time : uncounted;
      return arms.filter(({ id }) => id !== CONTROL.id).map(({ subject }) => ({ ...row, scenario, subject, host }));
    }),
  );
  const comparisons = hosts.flatMap(({ host, launches, atLeast = launches, scenarios }) =>
    scenarios.flatMap(({ scenario, arms, rounds, launches: inLaunches = atLeast }) => {
      const has = (wanted: string) => arms.some(({ id }) => id === wanted);
      const here = { host, launches: Math.min(inLaunches, atLeast), rounds: rounds * Math.min(inLaunches, atLeast) };
      return PAIRS.filter(({ subject, baseline }) => has(subject) && has(baseline)).map(({ subject, baseline }) => {
        const { family, ...ratio } = comparison(scenario, baseline, ...VERDICT);
        return { ...ratio, ...here, subject };
      });
    }),
  );
  return { launches: [], comparisons, results: sizes ? [...results, ...fixedRun().results] : results };
}

/** The same of codecs. */
export function promisedValues(): ValuesFindings {
  const { hosts, pairs } = valuesProfile({ extent: 'whole' });
  const comparisons = hosts.flatMap(({ host, payloads }) =>
    payloads.flatMap(({ scenario, arms }) => {
      const carries = (codec: string) =>
        arms.some(({ id }) => id === codec) && !PAYLOADS.get(scenario)!.notCarriedBy.some((each) => each === codec);
      return pairs
        .filter(({ subject, baseline }) => carries(subject) && carries(baseline))
        .map(({ subject, baseline }) => ({ ...codecComparison(scenario, baseline, ...VERDICT), host, subject }));
    }),
  );
  return fixedValuesRun({
    codecs: Object.fromEntries(CODECS.map(({ name, kind }) => [name, { kind, settings: '' }])),
    payloads: Object.fromEntries([...PAYLOADS.values()].map(({ name, kind }) => [name, kind])),
    results: hosts.flatMap(({ host }) => fixedValuesRun().results.map((each) => ({ ...each, host }))),
    comparisons,
  });
}

/** The same of memory. */
export function promisedMemory() {
  const { rounds, connections } = memoryProfile('whole');
  const readings = Array.from({ length: rounds }, (_, round) =>
    IDLE_ARMS.filter(({ everyRound }) => everyRound || round === 0).map(({ id, subject, hibernates }) => ({
      ...{ arm: id, subject, hibernates, round, emptyBytes: 40e6, startMs: 1, measuredMs: 1 },
      points: connections.map((count) => ({
        connections: count,
        residentBytes: 40e6 + 2000 * count,
        openFiles: count,
      })),
      client: { utilization: 0, delayP99Ms: 0, delayMaxMs: 0 },
    })),
  ).flat();
  const room = { connections: 9900, openFilesLimit: 20_000, wanted: connections.at(-1)! };
  return memoryFindings(MEMORY_SUBJECTS, readings, [], room);
}
