import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withPart } from '../support/generated-part.ts';
import type { Feature, Peer } from './claims.ts';
import { shortTable, sourcesOf, wholeTable } from './table.ts';

const inProject = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url).href);
const text = (path: string) => readFileSync(inProject(path), 'utf8');
const readClaims = (name: string) => JSON.parse(text(`docs/claims/${name}.json`)) as unknown;

const list = readClaims('features') as { readonly peers: readonly string[]; readonly features: readonly Feature[] };

export const features = list.features;
export const peers: ReadonlyMap<string, Peer> = new Map(list.peers.map((id) => [id, readClaims(id) as Peer]));

/** The documents that have the tables: each as it is, and as the claims make it. */
export function comparedDocuments(): { path: string; file: string; is: string; shouldBe: string }[] {
  const all = [...peers.values()];
  const whole = `${wholeTable(features, all)}\n\nWhere it stands, and when it was read:\n\n${sourcesOf(all)}`;
  return [
    { path: 'README.md', part: shortTable(features, all) },
    { path: 'docs/comparison.md', part: whole },
  ].map(({ path, part }) => {
    const is = text(path);
    return { path, file: inProject(path), is, shouldBe: withPart(is, 'comparison', part) };
  });
}
