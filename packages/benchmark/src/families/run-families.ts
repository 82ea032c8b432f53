import { assertPinned } from '../environment/packages.ts';
import type { BarResult } from '../log/bar-result.ts';
import type { Progress } from '../progress.ts';
import { beginRun } from '../run-begin.ts';
import type { RunRecord } from '../run-record.ts';
import type { Family, FamilyContext, FamilyEntry } from './family.ts';

/** What a family of a run found, in words and tables. */
export interface FamilyPart {
  readonly family: string;
  readonly entry: FamilyEntry;
}

/** A finished run: what is written to `measurements/`, what the log says, and the subject of the commit measured. */
export interface FinishedRun {
  readonly record: RunRecord;
  readonly parts: readonly FamilyPart[];
  readonly commitSubject: string;
}

/**
 * Measures families one after the other and resolves with what all of them found, under the name of the profile. Rejects
 * when a subject's version is not the one asked for, and with the first family that fails.
 */
export async function runFamilies(
  profile: string,
  families: readonly Family[],
  context: FamilyContext,
): Promise<FinishedRun> {
  assertPinned('capnweb');
  const begin = beginRun();
  const measured = [];
  for (const [i, family] of families.entries()) {
    const begun = performance.now();
    const place = families.length === 1 ? '' : `${family.name} (${i + 1} of ${families.length}): `;
    const progress = prefixed(context.progress, place);
    try {
      const findings = await family.measure({ ...context, ...ownPart(family, context), progress });
      measured.push({
        family: family.name,
        findings,
        durationMs: performance.now() - begun,
        entry: family.entry(findings),
      });
    } catch (cause) {
      throw new Error(`the family ${family.name} failed: ${(cause as Error).message}`, { cause });
    }
  }
  const record: RunRecord = {
    ...begin.head(profile, context.seed),
    families: measured.map(({ family, durationMs, entry }) => ({
      name: family,
      durationMs,
      configuration: entry.configuration,
    })),
    launches: measured.flatMap(({ family, findings }) => findings.launches.map((each) => ({ family, ...each }))),
    results: measured.flatMap(({ findings }) => findings.results),
    comparisons: measured.flatMap(({ family, findings }) => findings.comparisons.map((each) => ({ family, ...each }))),
    bars: onceEach(measured.flatMap(({ entry }) => entry.bars)),
  };
  return {
    record,
    parts: measured.map(({ family, entry }) => ({ family, entry })),
    commitSubject: begin.commitSubject,
  };
}

/** Families that are chosen by name may have the same figure, as the counter and the sizes have that of the client. */
function onceEach(bars: readonly BarResult[]): BarResult[] {
  return bars.filter(({ name }, i) => bars.findIndex((each) => each.name === name) === i);
}

/** What is wanted of other families is nothing that this one knows. */
function ownPart({ subjects, hosts }: Family, context: FamilyContext): Pick<FamilyContext, 'subjects' | 'hosts'> {
  return {
    subjects: context.subjects?.filter((each) => subjects.includes(each)),
    hosts: context.hosts?.filter((each) => hosts.includes(each)),
  };
}

function prefixed(progress: Progress, prefix: string): Progress {
  return {
    start: (total) => progress.start(total),
    update: (done, doing) => progress.update(done, `${prefix}${doing}`),
    stop: () => progress.stop(),
  };
}
