import type { BlockFindings, UnavailableResult } from '../blocks/record.ts';
import { runBlocks } from '../blocks/run-blocks.ts';
import { deployedProfile, deployedSubjects, needsPipeline } from '../deployed/profile.ts';
import { assertServed, originOf } from '../deployed/served.ts';
import { DeployedHost } from '../hosts/deployed.ts';
import { blocksEntry } from '../log/blocks-entry.ts';
import { timeResults } from '../run-record.ts';
import { REMOTE_SCENARIOS } from '../scenarios/remote.ts';
import type { Family } from './family.ts';

const CONFIGURATION = [
  'A Worker that was deployed from this repository, at an address that is not recorded; its code is that of the commit that was deployed, which need not be this one',
  'Each launch has a fresh client process and objects of new names; the server is one and the same, with whatever else its machines do',
  'Times are the client’s alone: clocks in deployed Workers stand still but for I/O, so that what happens between two requests cannot be timed there',
  'A block has a fresh connection, whose object has been written to and read before; what is timed includes the network, TLS and the way from the data centre to the object’s',
];

/**
 * Makes the family of the calls of *links* to the Worker that somebody has deployed at `address`. Rejects, before anything
 * is measured, where that is no address, does not answer or serves something else than `subjects`.
 */
export async function deployedFamily(address: string, wanted?: readonly string[]): Promise<Family<BlockFindings>> {
  const url = originOf(address);
  const subjects = deployedSubjects(wanted);
  const served = await assertServed(url, subjects);
  return {
    name: 'deployed',
    about: 'calls, turns and connections to a Worker that was deployed',
    subjects,
    hosts: ['deployed'],
    async measure({ extent, seed, progress }) {
      const profile = deployedProfile(extent, subjects, served);
      const found = await runBlocks(profile, seed, progress, () => new DeployedHost(url));
      const missing = served.pipeline ? [] : subjects.flatMap(withoutPipeline);
      return { ...found, results: [...found.results.map(ofDeployed), ...missing] };
    },
    entry(findings) {
      const samples = timeResults(findings).reduce((sum, { n }) => sum + n, 0);
      const launches = `Launches: ${findings.launches.length}, with ${samples} samples`;
      return { ...blocksEntry(findings, []), configuration: [launches, ...CONFIGURATION] };
    },
  };
}

/** The scenarios are those of another family, and what they found is this one's. */
function ofDeployed(result: BlockFindings['results'][number]): BlockFindings['results'][number] {
  return 'blockMedianMs' in result || 'unavailable' in result ? { ...result, family: 'deployed' } : result;
}

function withoutPipeline(subject: string): UnavailableResult[] {
  return REMOTE_SCENARIOS.filter(({ name }) => needsPipeline(name)).map(({ name }) => ({
    family: 'deployed',
    scenario: name,
    subject,
    host: 'deployed',
    unavailable: 'the deployed Worker has the counter alone; packages/benchmark/worker/wrangler.toml is the other one',
  }));
}
