import type { Claim, Feature, Peer } from './claims.ts';

const OURS = 'Lumenize RPC';

/** Makes the whole table, which stands in `docs`. */
export function wholeTable(features: readonly Feature[], peers: readonly Peer[]): string {
  return tableOf(
    peers,
    features.map(({ id, title, ours }) => [title, ours, ...peers.map(({ claims }) => cellOf(claims[id]))]),
  );
}

/** Makes the short table, which stands in the README. */
export function shortTable(features: readonly Feature[], peers: readonly Peer[]): string {
  return tableOf(
    peers,
    features
      .filter(({ inReadme }) => inReadme)
      .map(({ id, title, ours }) => [
        title,
        ours.replaceAll('](', '](docs/'),
        ...peers.map(({ claims }) => signOf(claims[id])),
      ]),
  );
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

function tableOf(peers: readonly Peer[], rows: readonly (readonly string[])[]): string {
  const head = ['', OURS, ...peers.map(({ column }) => column)];
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |'))
    .join('\n');
}

function cellOf({ answer, says }: Claim): string {
  return says ?? answer;
}

function signOf({ answer }: Claim): string {
  return answer === 'does not apply' ? '–' : answer;
}
