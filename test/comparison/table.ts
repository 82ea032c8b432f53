import type { Claim, Feature, Peer } from './claims.ts';

const OURS = 'Lumenize RPC';

/** Makes the table of all features. */
export function comparisonTable(features: readonly Feature[], peers: readonly Peer[]): string {
  const head = ['', OURS, ...peers.map(({ column }) => column)];
  const rows = features.map(({ id, title, ours }) => [title, ours, ...peers.map(({ claims }) => cellOf(claims[id]))]);
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |'))
    .join('\n');
}

/** Says where each claim stands, and which version of what that is. */
export function sourcesOf(peers: readonly Peer[]): string {
  return peers
    .map(({ name, sources }) => {
      const list = Object.values(sources).map(({ version, repository, commit, package: published, pages, date }) => {
        const place =
          repository === undefined
            ? published === undefined
              ? `<${pages}>`
              : `the package \`${published}\``
            : `\`${repository}\` at ${commit!.slice(0, 7)}`;
        return `${place}, ${version.startsWith('as of') ? version : `${version}, read ${date}`}`;
      });
      return `- ${name}: ${[...new Set(list)].join('; ')}`;
    })
    .join('\n');
}

function cellOf({ answer, says }: Claim): string {
  return says ?? answer;
}
