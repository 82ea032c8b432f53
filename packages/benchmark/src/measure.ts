import { showProgress } from './command-line.ts';
import { type Findings, measure as measureFamily } from './engine/measure.ts';
import type { Context, Extent, Family, Progress, Wanted } from './engine/plan.ts';
import { assertPinned, describeEnvironment, readGitState } from './environment.ts';
import { completed } from './report/record.ts';

/**
 * Measures families one after the other and resolves with what all of them found, under the name of the profile, and with the
 * subject of the commit that was measured; unless the context is given, with a seed of the moment, and shows how far it has
 * come. Rejects when a subject's version is not the one asked for, and with the first family that fails.
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

/** Returns what is wanted of this family, without the subjects and hosts of others. */
function ownPart({ subjects, hosts }: Family, wanted: Wanted): Wanted {
  return {
    ...wanted,
    subjects: wanted.subjects?.filter((each) => subjects.includes(each)),
    hosts: wanted.hosts?.filter((each) => (hosts as readonly string[]).includes(each)),
  };
}
