// Writes into the manifests of published packages which repository they come from. npm compares that with the provenance
// of a version, and shows the README's links by it. It is not written down here, so that a fork publishes as itself.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publishedPackages } from '../bundle/published-packages.ts';
import { sourceRepository } from './source-repository.ts';

const root = fileURLToPath(new URL('../..', import.meta.url).href);

for (const { folder } of publishedPackages()) {
  const file = join(folder, 'package.json');
  const manifest = { ...JSON.parse(readFileSync(file, 'utf8')), ...sourceRepository(process.env, root, folder) };
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
