import { fileURLToPath } from 'node:url';
import { seededRandom } from '@lumenize/hosts/random';
import type { LaunchRecord } from '../blocks/record.ts';
import { observedWorker } from '../hosts/observed-worker.ts';
import { bundleClient } from '../load/client-bundle.ts';
import type { Progress } from '../progress.ts';
import { withRunDirectory } from '../run-directory.ts';
import { compare } from '../statistics/comparison.ts';
import type { TimedBlock } from '../statistics/pairs.ts';
import { type StartFindings, startResults } from './findings.ts';
import { importOnce } from './import-times.ts';
import { firstCalls, type SampledBlock, sessions } from './launch.ts';
import {
  FIRST_CALL,
  IMPORT_CLIENT,
  IMPORT_SERVER,
  NEW_SESSION,
  START_ARMS,
  type StartProfile,
  WAKE,
} from './profile.ts';
import { type UpdateReading, updates } from './update.ts';

/** The share of the time in which modules are imported. */
const IMPORT_SHARE = 0.15;
const CLIENT = fileURLToPath(new URL('./client.ts', import.meta.url));

/** Measures how these subjects start, wake, come back and survive new code, and resolves with all that was found. */
export function measureStart(
  profile: StartProfile,
  subjects: readonly string[],
  seed: number,
  progress: Progress,
): Promise<StartFindings> {
  return withRunDirectory(async (directory) => {
    const begun = performance.now();
    const random = seededRandom(seed);
    const arms = START_ARMS.filter(({ subject }) => subjects.includes(subject));
    const ids = arms.map(({ id }) => id);
    const parts = {
      serve: await observedWorker(directory),
      client: await bundleClient(CLIENT, directory),
      random,
    };
    const imports: TimedBlock[][] = [];
    const blocks: SampledBlock[][] = [];
    const updated: UpdateReading[] = [];
    const launches: LaunchRecord[] = [];
    progress.start(profile.imports + 3 * profile.launches);
    try {
      for (let i = 0; i < profile.imports; i++) {
        // A slow machine imports slowly, and must have time for launches too.
        if (i > 0 && performance.now() - begun > IMPORT_SHARE * profile.budgetMs) break;
        progress.update(i, `import ${i + 1} of ${profile.imports}`);
        imports.push(await importOnce(ids, random));
      }
      let lastMs = 0;
      for (let launch = 0; launch < profile.launches; launch++) {
        const launchBegun = performance.now();
        // A slow machine has fewer launches, which its intervals show.
        if (launch > 0 && launchBegun - begun + lastMs > profile.budgetMs) break;
        const tell = (part: number, what: string) =>
          progress.update(profile.imports + 3 * launch + part, `launch ${launch + 1} of ${profile.launches}: ${what}`);
        tell(0, 'start to first call');
        const first = await firstCalls(arms, profile, parts);
        tell(1, 'waking and coming back');
        const { blocks: rest, client, startMs } = await sessions(arms, profile, parts);
        tell(2, 'new code');
        if (launch < profile.updates) updated.push(...(await updates(subjects, profile, parts)));
        blocks.push([...first, ...rest]);
        lastMs = performance.now() - launchBegun;
        launches.push({ host: 'workerd', startMs, measuredMs: lastMs, warmUps: [], client });
      }
    } finally {
      progress.stop();
    }
    return {
      results: startResults(subjects, imports, blocks, updated),
      comparisons: [
        ...compare('node', imports, [IMPORT_CLIENT, IMPORT_SERVER], random),
        ...compare('workerd', blocks, [FIRST_CALL, WAKE, NEW_SESSION], random),
      ],
      launches,
    };
  });
}
