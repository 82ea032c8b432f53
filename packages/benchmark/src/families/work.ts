import { FAMILY_HOSTS, familyProfile, familySubjects, type WorkFamily } from '../family-profiles.ts';
import type { BlockFindings } from '../run-record.ts';
import { blocksFamily } from './blocks.ts';
import type { Family } from './family.ts';

/** What each measures, and what is called. */
const TEXTS: Readonly<Record<WorkFamily, { readonly about: string; readonly configuration: string }>> = {
  pipeline: {
    about: 'calls that build on other calls: chains, arguments, batches, map, callbacks',
    configuration: 'The same targets, made of either library’s RpcTarget; a fresh connection for each block',
  },
  transports: {
    about: 'everything that carries calls; large values and streams',
    configuration:
      'The same target, made of either library’s RpcTarget: in a Durable Object, behind ports in a thread; results are compared with what was sent; a fresh connection for each block',
  },
  events: {
    about: 'from publish() to every one of 1, 100 and 1000 subscribers',
    configuration:
      'publish() to subscribers of one object, each on a connection of its own, one event at a time and 20 in one turn; ops are events; topics, and hand-written JSON and Cap’n Web callbacks with an SQLite row an event; every subscriber compares number, order and content; a fresh object for each block',
  },
};

/** Makes the family of that name, which has a Worker of its own. */
export function workFamily(name: WorkFamily): Family<BlockFindings> {
  const { about, configuration } = TEXTS[name];
  return blocksFamily({
    name,
    about,
    subjects: familySubjects(name),
    hosts: FAMILY_HOSTS,
    configuration: [configuration],
    profile: (context) => familyProfile(name, context),
  });
}
