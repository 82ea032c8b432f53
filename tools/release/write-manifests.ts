// Writes the manifests of published packages as npm shall have them, with the repository that they come from. npm compares that
// with the provenance of a version, and shows the README's links by it. It is not written down here, so that a fork publishes as
// itself.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publishedPackages } from '../bundle/published-packages.ts';
import { publishedManifest } from './published-manifest.ts';
import { sourceRepository } from './source-repository.ts';

const root = fileURLToPath(new URL('../..', import.meta.url).href);

for (const { folder } of publishedPackages()) {
  const file = join(folder, 'package.json');
  const manifest = publishedManifest(JSON.parse(readFileSync(file, 'utf8')));
  const text = JSON.stringify({ ...manifest, ...sourceRepository(process.env, root, folder) }, null, 2);
  writeFileSync(file, `${text}\n`);
}
