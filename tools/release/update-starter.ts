// Has the starter ask for the packages at the versions that a release has just given them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publishedPackages } from '../bundle/published-packages.ts';
import { withVersions } from './starter-manifest.ts';

const STARTER = fileURLToPath(new URL('../../examples/starter/package.json', import.meta.url).href);

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const versions = new Map<string, string>(
  publishedPackages().map(({ name, folder }) => [name, read(join(folder, 'package.json')).version]),
);
writeFileSync(STARTER, `${JSON.stringify(withVersions(read(STARTER), versions), null, 2)}\n`);
