import { bundleWorker } from '@lumenize/hosts/worker-bundle';
import { WorkerdHost } from '@lumenize/hosts/workerd';
import type { BlockFindings } from '../blocks/record.ts';
import { runBlocks } from '../blocks/run-blocks.ts';
import { bundleEarlier, commitNamed } from '../change/earlier-code.ts';
import { changeProfile, earlierArm } from '../change/profile.ts';
import { BesideHost } from '../hosts/beside.ts';
import { readWorkerConfig } from '../hosts/worker-config.ts';
import { SOURCES } from '../load/client-bundle.ts';
import { blocksEntry } from '../log/blocks-entry.ts';
import { withRunDirectory } from '../run-directory.ts';
import type { Family } from './family.ts';

/**
 * Makes the family of the counter's calls through this code, and through that of the commit called `name`: what a change is
 * measured with. Throws where there is no such commit.
 */
export function changeFamily(name: string): Family<BlockFindings> {
  const { hash, subject } = commitNamed(name);
  const arm = earlierArm(hash);
  const configuration = [
    `Before is ${arm.id}: the client and the server of ${hash}, “${subject}”, with the packages that are installed now`,
    'Both states are bundled from their sources in the same way; each has a server of its own in every launch, both are called from one process, in turn',
  ];
  return {
    name: 'change',
    about: 'the counter through this code and through that of an earlier commit',
    subjects: ['lumenize', arm.id],
    hosts: ['workerd'],
    measure: ({ extent, seed, progress }) =>
      withRunDirectory(async (directory) => {
        const config = readWorkerConfig();
        const worker = await bundleWorker(config.main, directory, SOURCES);
        const earlier = await bundleEarlier(hash, config.main, directory);
        const host = new BesideHost(
          new WorkerdHost(worker, config),
          new WorkerdHost(earlier.worker, config),
          earlier.client,
        );
        const found = await runBlocks(changeProfile(extent, hash), seed, progress, () => host);
        return { ...found, results: found.results.map(ofChange) };
      }),
    entry: (findings) => blocksEntry(findings, configuration),
  };
}

/** The scenarios are those of another family, and what they found is this one's. */
function ofChange(result: BlockFindings['results'][number]): BlockFindings['results'][number] {
  return 'blockMedianMs' in result || 'unavailable' in result ? { ...result, family: 'change' } : result;
}
