import { expect, test } from 'vitest';
import { sourceRepository } from '../tools/release/source-repository.ts';
import { withVersions } from '../tools/release/starter-manifest.ts';

test('a release names the repository whose workflow makes it', () => {
  const environment = { GITHUB_SERVER_URL: 'https://github.example', GITHUB_REPOSITORY: 'owner/name' };
  expect(sourceRepository(environment, '/work', '/work/packages/rpc')).toEqual({
    repository: { type: 'git', url: 'git+https://github.example/owner/name.git', directory: 'packages/rpc' },
    homepage: 'https://github.example/owner/name/tree/main/packages/rpc#readme',
    bugs: 'https://github.example/owner/name/issues',
  });
});

test('nothing is released from elsewhere', () => {
  expect(() => sourceRepository({}, '/work', '/work/packages/rpc')).toThrow('release.yml');
});

test('a release has the starter ask for what is released, and of others what it asked for', () => {
  const manifest = {
    name: 'my-app',
    dependencies: { '@lumenize/rpc': '^0.1.0' },
    devDependencies: { 'lumenize-rpc': '^0.1.0', vitest: '^5.1.1' },
  };
  const versions = new Map([
    ['@lumenize/rpc', '0.2.0'],
    ['lumenize-rpc', '0.2.0'],
    ['@lumenize/structured-clone', '0.2.0'],
  ]);
  expect(withVersions(manifest, versions)).toEqual({
    name: 'my-app',
    dependencies: { '@lumenize/rpc': '^0.2.0' },
    devDependencies: { 'lumenize-rpc': '^0.2.0', vitest: '^5.1.1' },
  });
});
