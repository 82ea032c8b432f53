import type { BlockFindings } from '../blocks/record.ts';
import { runBlocks } from '../blocks/run-blocks.ts';
import { LINK_HOSTS, LINK_SUBJECTS, linksProfile } from '../links/profile.ts';
import { roundTrips } from '../links/round-trips.ts';
import { blocksEntry } from '../log/blocks-entry.ts';
import { linkSentences } from '../log/link-sentences.ts';
import { linkTables } from '../log/link-tables.ts';
import { timeResults } from '../run-record.ts';
import type { Family } from './family.ts';
import type { FigureResult } from './figure-result.ts';

/** What was found over links: times, and the round trips that they are. */
interface LinkFindings extends Omit<BlockFindings, 'results'> {
  readonly results: readonly (BlockFindings['results'][number] | FigureResult)[];
}

const CONFIGURATION = [
  'Links are emulated by a TCP proxy in a process of its own: bytes arrive in order, after half a round trip and the time that they and the packets before them take at the bandwidth, 52 bytes of headers with each 1448; a connection’s first bytes leave a round trip late, as after a handshake',
  'Jitter is drawn anew every 2 ms, evenly, half of it each way. A lost packet holds up what is behind it, for a round trip after the third packet behind it has arrived, or for a round trip and 200 ms where fewer follow',
  'Not emulated: TLS, slow start, lost handshakes, acknowledgements that are late. What is written in one go travels in as few packets as it fits in, which favours subjects with many frames',
  'Where the turn of a hundred increments takes many round trips, it is the object’s commits: it has one for each frame that stores something, and each answer waits for its own',
  'Warm-up, setting up and verification go past the link; each block has a fresh connection over it, which one read has opened; objects are those of the family pipeline; frames and bytes are counted past it, those of upgrades not at all, with which the first read of a connection of Lumenize RPC goes',
];

/** The counter over emulated links, where frames and round trips decide and not microseconds. */
export const LINKS_FAMILY: Family<LinkFindings> = {
  name: 'links',
  about: 'calls, turns and connections over emulated networks, in round trips and bytes',
  subjects: LINK_SUBJECTS,
  hosts: LINK_HOSTS,
  async measure(context) {
    const found = await runBlocks(linksProfile(context), context.seed, context.progress);
    return { ...found, results: [...found.results, ...timeResults(found).flatMap(roundTrips)] };
  },
  entry(findings) {
    const results = findings.results.filter((each): each is BlockFindings['results'][number] => !('value' in each));
    const blocks = blocksEntry({ ...findings, results }, CONFIGURATION);
    const tables = linkTables(findings);
    return {
      ...blocks,
      results: tables,
      analysis: [...linkSentences(findings), ...blocks.analysis],
      terminal: blocks.terminal?.replace(blocks.results, tables),
    };
  },
};
