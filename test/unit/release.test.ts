import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { publishedPackages } from '../../tools/bundle/published-packages.ts';
import { publishedManifest } from '../../tools/release/published-manifest.ts';
import { sourceRepository } from '../../tools/release/source-repository.ts';
import { withVersions } from '../../tools/release/starter-manifest.ts';
import { projectFolder } from '../support/serve-counter.ts';

const WORKFLOWS = join(projectFolder, '.github/workflows');
const workflows = readdirSync(WORKFLOWS).map((name) => ({ name, text: readFileSync(join(WORKFLOWS, name), 'utf8') }));

test('a release names the repository whose workflow makes it', () => {
  const environment = { GITHUB_SERVER_URL: 'https://github.example', GITHUB_REPOSITORY: 'owner/name' };
  expect(sourceRepository(environment, '/work', '/work/packages/rpc')).toEqual({
    repository: { type: 'git', url: 'git+https://github.example/owner/name.git', directory: 'packages/rpc' },
    homepage: 'https://github.example/owner/name/tree/main/packages/rpc#readme',
    bugs: 'https://github.example/owner/name/issues',
  });
});

test('what is published names nothing that only this workspace has', () => {
  const manifest = {
    name: 'my-package',
    exports: {
      '.': { '@lumenize/source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' },
    },
    imports: {
      '#platform': {
        '@lumenize/source': { workerd: './src/workerd.ts', default: './src/default.ts' },
        workerd: './dist/workerd.js',
        default: './dist/default.js',
      },
    },
    files: ['dist'],
    devDependencies: { valibot: '1.5.0' },
  };
  expect(publishedManifest(manifest)).toEqual({
    name: 'my-package',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    imports: { '#platform': { workerd: './dist/workerd.js', default: './dist/default.js' } },
    files: ['dist'],
  });
});

test('npm run release says what there is, and does nothing without being told', () => {
  for (const args of [[], ['dry']]) {
    const main = join(projectFolder, 'tools/release/main.ts');
    const { stderr, status } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
    expect(stderr).toMatch(/--dry .+version .+publish /s);
    expect(status).toBe(1);
  }
});

test('nothing is released from elsewhere', () => {
  expect(() => sourceRepository({}, '/work', '/work/packages/rpc')).toThrow('release.yml');
});

test('a release has the starter ask for what is released, and of others what it asked for', () => {
  const manifest = {
    name: 'my-app',
    dependencies: { '@lumenize/rpc': '^0.1.0' },
    devDependencies: { '@lumenize/rpc-cli': '^0.1.0', vitest: '^5.1.1' },
  };
  const versions = new Map([
    ['@lumenize/rpc', '0.2.0'],
    ['@lumenize/rpc-cli', '0.2.0'],
    ['@lumenize/structured-clone', '0.2.0'],
  ]);
  expect(withVersions(manifest, versions)).toEqual({
    name: 'my-app',
    dependencies: { '@lumenize/rpc': '^0.2.0' },
    devDependencies: { '@lumenize/rpc-cli': '^0.2.0', vitest: '^5.1.1' },
  });
});

test('no two packages have archives of the same name', () => {
  // As npm names them, where the folder of an archive says nothing of its scope.
  const archives = publishedPackages().map(({ name }) => name.replace('@', '').replace('/', '-'));
  expect(archives).toHaveLength(13);
  expect([...new Set(archives)]).toEqual(archives);
});

test('workflows use actions by their commits, which nobody else can move, and keep no secret', () => {
  for (const { name, text } of workflows) {
    const used = [...text.matchAll(/uses: (.+)$/gm)].map(([, action]) => action);
    expect(used.length, name).toBeGreaterThan(0);
    expect(used.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
    expect(text).toMatch(/^permissions:\n {2}contents: read\n\n/m);
    expect(text).not.toContain('secrets.');
  }
});

test('a release is made by the action that goes with the version of changesets', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8'));
  const { text } = workflows.find(({ name }) => name === 'release.yml')!;
  expect(devDependencies['@changesets/cli']).toMatch(/^3\./);
  expect(text).toMatch(/changesets\/action@\w+ # v2\./);
  expect([...text.matchAll(/^ {10}([\w-]+-script): npm run release -- (.+)$/gm)].map(([, ...both]) => both)).toEqual([
    ['version-script', 'version'],
    ['publish-script', 'publish'],
  ]);
});
