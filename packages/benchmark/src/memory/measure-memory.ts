import { fileURLToPath } from 'node:url';
import { inTurn } from '@lumenize/hosts/in-turn';
import { seededRandom, shuffled } from '@lumenize/hosts/random';
import { observedWorker } from '../hosts/observed-worker.ts';
import { bundleClient } from '../load/client-bundle.ts';
import type { Progress } from '../progress.ts';
import { withRunDirectory } from '../run-directory.ts';
import type { SubjectName } from '../subjects/subject.ts';
import { type MemoryFindings, memoryFindings, nothingToRead } from './findings.ts';
import { idleLaunch, loadLaunch } from './launches.ts';
import { IDLE_ARMS, type MemoryProfile } from './profile.ts';
import type { IdleReading, LoadReading } from './reading.ts';
import { roomHere } from './room.ts';

const CLIENT = fileURLToPath(new URL('./client.ts', import.meta.url));

/** Measures the memory of workerd with the connections of these subjects, and resolves with all that was found. */
export async function measureMemory(
  profile: MemoryProfile,
  subjects: readonly SubjectName[],
  seed: number,
  progress: Progress,
): Promise<MemoryFindings> {
  const room = await roomHere();
  if (room === undefined) return nothingToRead(subjects);
  const connections = profile.connections.filter((count) => count <= room.connections);
  if (connections.length < 2) throw new Error(`${room.openFilesLimit} open files are too few to measure memory with`);
  const all = IDLE_ARMS.filter(({ subject }) => subjects.includes(subject));
  const loads = profile.loadRounds * subjects.length;
  progress.start(all.length + (profile.rounds - 1) * all.filter(({ everyRound }) => everyRound).length + loads);
  try {
    return await withRunDirectory(async (directory) => {
      const begun = performance.now();
      const launch = {
        serve: await observedWorker(directory),
        client: await bundleClient(CLIENT, directory),
      };
      const random = seededRandom(seed);
      const idle: IdleReading[] = [];
      const load: LoadReading[] = [];
      let done = 0;
      let idleMs = 0;
      for (let round = 0; round < profile.rounds; round++) {
        const arms = all.filter(({ everyRound }) => everyRound || round === 0);
        // Half a round compares nothing; a slow machine has fewer, which its intervals show.
        const nextMs = idle.length === 0 ? 0 : (idleMs / idle.length) * arms.length;
        if (performance.now() - begun + nextMs > profile.budgetMs && round > 0) break;
        const roundBegun = performance.now();
        const shuffledArms = shuffled(arms, random);
        await inTurn(arms.length, profile.atOnce, async (place) => {
          const arm = shuffledArms[place];
          progress.update(done++, `round ${round + 1} of ${profile.rounds}: ${arm.id}`);
          idle.push(await idleLaunch(arm, connections, round, launch));
        });
        idleMs += performance.now() - roundBegun;
        if (round >= profile.loadRounds) continue;
        const shuffledSubjects = shuffled(subjects, random);
        await inTurn(subjects.length, profile.atOnce, async (place) => {
          progress.update(done++, `under load: ${shuffledSubjects[place]}`);
          load.push(await loadLaunch(shuffledSubjects[place], profile.loadMs, launch));
        });
      }
      return memoryFindings(subjects, idle, load, { ...room, wanted: profile.connections.at(-1)! });
    });
  } finally {
    progress.stop();
  }
}
