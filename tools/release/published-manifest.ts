/** The condition by which the packages of this workspace find each other's sources, which are not published. */
const SOURCE = '@lumenize/source';

/** Returns a package's manifest as it is published: without what only this workspace can use. */
export function publishedManifest<Manifest extends object>(manifest: Manifest): Omit<Manifest, 'devDependencies'> {
  const { devDependencies: _, ...published } = withoutSource(manifest) as Manifest & { devDependencies?: unknown };
  return published;
}

function withoutSource(part: unknown): unknown {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
  const rest = Object.entries(part).filter(([key]) => key !== SOURCE);
  return Object.fromEntries(rest.map(([key, value]) => [key, withoutSource(value)]));
}
