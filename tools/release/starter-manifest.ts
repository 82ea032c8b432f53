interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Returns the manifest of the starter with the versions that our packages have: it is no package of the workspace, so that nobody else does. */
export function withVersions<Given extends Manifest>(manifest: Given, versions: ReadonlyMap<string, string>): Given {
  const updated = (asked: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(asked).map(([name, range]) => {
        const version = versions.get(name);
        return [name, version === undefined ? range : `^${version}`];
      }),
    );
  return {
    ...manifest,
    dependencies: updated(manifest.dependencies),
    devDependencies: updated(manifest.devDependencies),
  };
}
