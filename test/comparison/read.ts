import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withPart } from '../support/generated-part.ts';
import type { Feature, Peer } from './claims.ts';
import { comparisonTable, sourcesOf } from './table.ts';

const inProject = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url).href);
const text = (path: string) => readFileSync(inProject(path), 'utf8');
const readClaims = (name: string) => JSON.parse(text(`docs/claims/${name}.json`)) as unknown;

const list = readClaims('features') as { readonly peers: readonly string[]; readonly features: readonly Feature[] };

export const features = list.features;
export const peers: ReadonlyMap<string, Peer> = new Map(list.peers.map((id) => [id, readClaims(id) as Peer]));

/** The document that has the table: as it is, and as the claims make it. */
export function comparedDocument(): { path: string; file: string; is: string; shouldBe: string } {
  const all = [...peers.values()];
  const part = `${comparisonTable(features, all)}\n\nWhere it stands, and when it was read:\n\n${sourcesOf(all)}`;
  const path = 'docs/comparison.md';
  const is = text(path);
  return { path, file: inProject(path), is, shouldBe: withPart(is, 'comparison', part) };
}
