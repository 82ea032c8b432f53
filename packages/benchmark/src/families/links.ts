import type { LinkHostName } from '@lumenize/hosts/host';
import { LINKS, type LinkName } from '@lumenize/hosts/links/link';
import { WORK_WORKER } from '@lumenize/hosts/worker-config';
import { planBlocks } from '../blocks/blocks.ts';
import type { Extent, Family, PlaceFindings, Plan } from '../engine/plan.ts';
import type { Row } from '../engine/row.ts';
import { REMOTE_SCENARIOS } from '../scenarios/all.ts';
import { BURST_FLOOR, CONTROL, REMOTE_ARMS } from '../subjects/arms.ts';

const HOSTS = ['workerd-lan', 'workerd-cable', 'workerd-lte', 'workerd-far'] as const satisfies readonly LinkHostName[];

/**
 * The time limit of warming up. Launches warm up without the link, so any remaining slowness at the start comes from
 * the network.
 */
const WARM_UP_LIMIT_MS = 500;
/** The time limit for the rounds of a launch. Only a very busy machine reaches it. */
const LIMIT_MS = 30_000;

/**
 * The rounds of each link that a launch has time for, and the time limits of the whole. A round takes about 100 round
 * trips with all subjects.
 */
const EXTENTS: Readonly<Record<Extent, Pick<Plan, 'budgetMs' | 'latestMs'> & { rounds: readonly number[] }>> = {
  alone: { rounds: [4, 2, 2, 1], budgetMs: 165_000, latestMs: 180_000 },
  whole: { rounds: [0, 2, 2, 0], budgetMs: 60_000, latestMs: 80_000 },
  quick: { rounds: [1, 0, 0, 0], budgetMs: 60_000, latestMs: 60_000 },
};

/** The counter over emulated links, where frames and round trips matter and microseconds do not. */
export const LINKS_FAMILY: Family = {
  name: 'links',
  about: 'calls, turns and connections over emulated networks, in round trips and bytes',
  subjects: [...REMOTE_ARMS, BURST_FLOOR].map(({ id }) => id),
  hosts: HOSTS,
  configuration: [
    'Links are emulated by a TCP proxy in a process of its own: bytes arrive in order, after half a round trip and the time that they and the packets before them take at the bandwidth, 52 bytes of headers with each 1448; a connection’s first bytes leave a round trip late, as after a handshake',
    'Jitter is drawn anew every 2 ms, evenly, half of it each way. A lost packet holds up what is behind it, for a round trip after the third packet behind it has arrived, or for a round trip and 200 ms where fewer follow',
    'Not emulated: TLS, slow start, lost handshakes, acknowledgements that are late. What is written in one go travels in as few packets as it fits in, which favours subjects with many frames',
    'Where the turn of a hundred increments takes many round trips, it is the object’s commits: it has one for each frame that stores something, and each answer waits for its own',
    'Warm-up, setting up and verification go past the link; each block has a fresh connection over it, which one read has opened; objects are those of the family pipeline; frames and bytes are counted past it, those of upgrades not at all, with which the first read of a connection of Lumenize RPC goes',
  ],
  plan(extent, { subjects, hosts }) {
    const { rounds: ofLinks, ...times } = EXTENTS[extent];
    const roundsOn = (host: LinkHostName) => ofLinks[HOSTS.indexOf(host as never)];
    const chosen = HOSTS.filter((host) => hosts?.includes(host) ?? roundsOn(host) > 0);
    // A link that has the whole time to itself has more rounds.
    const share = extent === 'alone' && chosen.length === 1 ? 2 : 1;
    const places = chosen.map((host) => ({
      ...{ host, launches: 3, limitMs: LIMIT_MS, warmUpLimitMs: WARM_UP_LIMIT_MS },
      scenarios: REMOTE_SCENARIOS.map(({ name, sample }) => ({
        scenario: name,
        arms: [...REMOTE_ARMS, ...(sample === 'turn' ? [BURST_FLOOR] : []), CONTROL],
        rounds: Math.max(1, roundsOn(host)) * share,
        // A drift of the machine's speed is invisible beside the network, so the random order of a round is sufficient.
        mirrored: false,
      })),
    }));
    return planBlocks({ ...times, worker: WORK_WORKER, places, more: roundTrips }, extent, { subjects });
  },
};

/** Returns how many round trips of its link the median sample of each row took, with the properties of the link. */
export function roundTrips({ host, rows }: Pick<PlaceFindings, 'host' | 'rows'>): Row[] {
  const { rttMs, jitterMs, downMbits, upMbits, lossShare } = LINKS[host.slice('workerd-'.length) as LinkName];
  return rows
    .filter(({ value }) => value !== undefined)
    .map(({ scenario, subject, value, summary, n }) => ({
      ...{ family: 'links', scenario: `${scenario}/round-trips`, subject, host },
      ...{ unit: 'round trips', value: value! / rttMs, n },
      detail: { meanRoundTrips: summary!.mean / rttMs, rttMs, jitterMs, downMbits, upMbits, lossShare },
    }));
}
