import type { BlockFindings } from '../blocks/record.ts';
import type { HostName } from '../hosts/host.ts';
import { timeResults } from '../run-record.ts';
import { isControl } from '../statistics/comparison.ts';
import { interval, list, ms, percent } from './format.ts';
import { HOST_NAMES } from './names.ts';

/** How steady a run was, host by host: what its ratios have to be read with. */
export function variance(run: BlockFindings): string[] {
  const hosts = [...new Set(run.launches.map(({ host }) => host))];
  return hosts.map((host) => {
    const parts = [launches(run, host), blocks(run, host), control(run, host), warmUp(run, host), client(run, host)];
    return `**${HOST_NAMES[host]}**: ${parts.filter(Boolean).join('; ')}.`;
  });
}

function launches(run: BlockFindings, host: HostName): string {
  const number = run.launches.filter((launch) => launch.host === host).length;
  return `${number} launch${number === 1 ? '' : 'es'}`;
}

function blocks(run: BlockFindings, host: HostName): string {
  const variations = timeResults(run)
    .filter((result) => result.host === host && result.blocks > 1)
    .map(({ blockVariation }) => blockVariation)
    .sort((a, b) => a - b);
  if (variations.length === 0) return '';
  const middle = variations[Math.floor(variations.length / 2)];
  return `blocks vary by ${percent(middle)} (median of ${variations.length} rows; at most ${percent(variations[variations.length - 1])})`;
}

function control(run: BlockFindings, host: HostName): string {
  const controls = run.comparisons.filter((comparison) => comparison.host === host && isControl(comparison));
  if (controls.length === 0) return '';
  const low = Math.min(...controls.map(({ ratio }) => ratio));
  const high = Math.max(...controls.map(({ ratio }) => ratio));
  return `Lumenize RPC against itself ${interval([low, high])} over ${controls.length} scenarios`;
}

function warmUp(run: BlockFindings, host: HostName): string {
  const warmUps = run.launches.filter((launch) => launch.host === host).flatMap((launch) => launch.warmUps);
  if (warmUps.length === 0) return '';
  const unsteady = [...new Set(warmUps.filter(({ steady }) => !steady).map(({ arm }) => arm))];
  const longest = Math.max(...warmUps.map(({ blocks: number }) => number));
  const seconds = Math.max(...warmUps.map((each) => each.ms)) / 1000;
  const verdict = unsteady.length === 0 ? 'all steady' : `not steady: ${list(unsteady)}`;
  return `warm-up of at most ${longest} blocks and ${seconds.toFixed(1)} s, ${verdict}`;
}

function client(run: BlockFindings, host: HostName): string {
  const healths = run.launches.filter((launch) => launch.host === host).map((launch) => launch.client);
  const busiest = Math.max(...healths.map(({ utilization }) => utilization));
  const p99 = Math.max(...healths.map(({ delayP99Ms }) => delayP99Ms));
  const max = Math.max(...healths.map(({ delayMaxMs }) => delayMaxMs));
  return `load generator busy ${percent(busiest)} of the time at most, its event loop late by ${ms(p99)} ms (p99) and ${ms(max)} ms (max)`;
}
