import type { TimeResult } from '../blocks/record.ts';
import type { FigureResult } from '../families/figure-result.ts';
import type { HostName } from '../hosts/host.ts';
import { LINKS, type Link } from './link.ts';

export const ROUND_TRIPS = 'round trips';

/** Returns the link that a host is behind. */
export function linkOf(host: HostName): Link | undefined {
  return Object.entries(LINKS).find(([name]) => host === (`workerd-${name}` satisfies `workerd-${string}`))?.[1];
}

/** Says how many round trips of its link the median sample of a result took, with what the link was like. */
export function roundTrips({ scenario, subject, host, p50, mean, n }: TimeResult): FigureResult[] {
  const link = linkOf(host);
  if (!link) return [];
  return [
    {
      ...{ family: 'links', scenario, subject, host, unit: ROUND_TRIPS, value: p50 / link.rttMs, n },
      detail: { meanRoundTrips: mean / link.rttMs, ...link },
    },
  ];
}
