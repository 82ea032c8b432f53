import { isControl } from '../statistics/comparison.ts';
import { timedResults, type ValuesFindings } from '../values/record.ts';
import { interval, percent } from './format.ts';
import { HOST_NAMES } from './names.ts';

/** How steady a run was, place by place: what its ratios have to be read with. */
export function codecVariance(record: ValuesFindings): string[] {
  const hosts = [...new Set(record.launches.map(({ host }) => host))];
  return hosts.map((host) => {
    const launches = record.launches.filter((launch) => launch.host === host);
    const rows = timedResults(record).filter((result) => result.host === host);
    const variations = rows.map(({ blockVariation }) => blockVariation).sort((a, b) => a - b);
    const controls = record.comparisons.filter((each) => each.host === host && isControl(each));
    const ratios = controls.map(({ ratio }) => ratio);
    const unsteady = launches.reduce((sum, launch) => sum + launch.unsteady.length, 0);
    const parts = [
      `${launches.length} launch${launches.length === 1 ? '' : 'es'}`,
      `blocks vary by ${percent(variations[Math.floor(variations.length / 2)])} (median of ${rows.length} rows)`,
      ...(ratios.length > 0
        ? [
            `lumenize against itself from ${interval([Math.min(...ratios), Math.max(...ratios)])} over ${ratios.length} payloads`,
          ]
        : []),
      `${unsteady} of ${launches.length * rows.length} warm-ups ended before they were steady`,
    ];
    return `**${HOST_NAMES[host]}**: ${parts.join('; ')}.`;
  });
}
