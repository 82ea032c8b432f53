import { relative } from 'node:path';

/** What a manifest says of where a package's sources are. */
export interface SourceRepository {
  readonly repository: { readonly type: 'git'; readonly url: string; readonly directory: string };
  readonly homepage: string;
  readonly bugs: string;
}

/**
 * Returns what the manifest of the package in `folder` says of the repository that a workflow runs in, by the variables
 * that GitHub gives it.
 * @throws {Error} where they are not there
 */
export function sourceRepository(
  environment: Readonly<Record<string, string | undefined>>,
  root: string,
  folder: string,
): SourceRepository {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = environment;
  if (!server || !name) {
    throw new Error(
      'packages are published by .github/workflows/release.yml: only there it is known where their sources are',
    );
  }
  const url = `${server}/${name}`;
  const directory = relative(root, folder).replaceAll('\\', '/');
  return {
    repository: { type: 'git', url: `git+${url}.git`, directory },
    homepage: `${url}/tree/main/${directory}#readme`,
    bugs: `${url}/issues`,
  };
}
