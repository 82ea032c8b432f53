import { showProgress } from './command-line.ts';
import { type Findings, measure as measureFamily } from './engine/measure.ts';
import type { Context, Extent, Family, Progress, Wanted } from './engine/plan.ts';
import { assertPinned, describeEnvironment, readGitState } from './environment.ts';
import { completed } from './report/record.ts';

/**
 * Measures families one after the other. Resolves with all findings under the name of the profile, and with the subject
 * of the measured commit. Without a context, it uses a seed from the current time, and shows its progress. Rejects if
 * the version of a subject is not the required one, and with the error of the first family that fails.
 */
export async function measure(
  profile: string,
  families: readonly Family[],
  extent: Extent,
  wanted: Wanted = {},
  context: Context = { seed: Math.floor(Date.now() / 1000) % 1_000_000, progress: showProgress() },
) {
  assertPinned('capnweb');
  const takenAt = new Date();
  const { commit, dirty, subject } = readGitState();
  const environment = describeEnvironment();
  const begun = performance.now();
  const measured: { family: Family; durationMs: number; found: Findings }[] = [];
  for (const [i, family] of families.entries()) {
    const start = performance.now();
    const place = families.length === 1 ? '' : `${family.name} (${i + 1} of ${families.length}): `;
    const update: Progress['update'] = (doing) => context.progress.update(`${place}${doing}`);
    const progress = { ...context.progress, update };
    try {
      const found = await measureFamily(family, extent, ownPart(family, wanted), { ...context, progress });
      measured.push({ family, durationMs: performance.now() - start, found });
    } catch (cause) {
      throw new Error(`the family ${family.name} failed: ${(cause as Error).message}`, { cause });
    }
  }
  const each = <Thing>(of: (found: Findings) => readonly Thing[]) =>
    measured.flatMap(({ family, found }) => of(found).map((thing) => ({ family: family.name, ...thing })));
  const extras = measured.filter(({ found }) => found.extras.length > 0);
  const record = completed({
    ...{ schema: 2, takenAt: takenAt.toISOString(), commit, dirty, profile, seed: context.seed },
    durationMs: performance.now() - begun,
    environment,
    families: measured.map(({ family: { name, configuration }, durationMs }) => {
      return { name, durationMs, configuration };
    }),
    launches: each(({ launches }) => launches),
    rows: measured.flatMap(({ found }) => found.rows),
    comparisons: each(({ comparisons }) => comparisons),
    ...(extras.length > 0 && { extras: Object.fromEntries(extras.map((x) => [x.family.name, x.found.extras])) }),
  });
  return { record, commitSubject: subject };
}

/** Returns the requested part of this family, without the subjects and hosts of other families. */
function ownPart({ subjects, hosts }: Family, wanted: Wanted): Wanted {
  return {
    ...wanted,
    subjects: wanted.subjects?.filter((each) => subjects.includes(each)),
    hosts: wanted.hosts?.filter((each) => (hosts as readonly string[]).includes(each)),
  };
}
