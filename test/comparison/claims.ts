/** Where something stands: a repository at a commit, a published package, or pages of the web. */
export interface Source {
  readonly version: string;
  /** When it was read. */
  readonly date: string;
  readonly repository?: string;
  readonly commit?: string;
  readonly package?: string;
  readonly pages?: string;
  /** What places are named from. */
  readonly folder?: string;
}

export const ANSWERS = ['yes', 'partly', 'no', 'does not apply'] as const;

/** What one of the others does about one feature. */
export interface Claim {
  readonly answer: (typeof ANSWERS)[number];
  /** What the table says, where the answer alone would say too little. */
  readonly says?: string;
  /** Where it stands: the name of a source, and a place in it, such as `docs: guides/sessions.md`. */
  readonly at: readonly string[];
  /** Cases of the contract that show it: those which hold for the other, and those which do not. */
  readonly tried?: { readonly holds?: readonly string[]; readonly fails?: readonly string[] };
}

/** One of the others, as docs/claims has it. */
export interface Peer {
  readonly name: string;
  readonly column: string;
  readonly sources: Readonly<Record<string, Source>>;
  readonly claims: Readonly<Record<string, Claim>>;
}

export interface Feature {
  readonly id: string;
  readonly title: string;
  /** What this library does, with links as from `docs`. */
  readonly ours: string;
}

/** Says what claims lack: one for each cell, with a version, a place and a date. Nothing, where they are as they should be. */
export function problemsOf(features: readonly Feature[], peers: readonly Peer[]): string[] {
  return peers.flatMap(({ name, sources, claims }) => [
    ...features.filter(({ id }) => claims[id] === undefined).map(({ id }) => `${name}, ${id}: no claim`),
    ...Object.keys(claims)
      .filter((id) => !features.some((feature) => feature.id === id))
      .map((id) => `${name}, ${id}: no such feature`),
    ...Object.entries(claims).flatMap(([id, claim]) =>
      lacksOf(claim, sources).map((lack) => `${name}, ${id}: ${lack}`),
    ),
    ...Object.keys(sources)
      .filter((id) => !Object.values(claims).some(({ at }) => at.some((place) => place.startsWith(`${id}: `))))
      .map((id) => `${name}, source ${id}: nothing stands there`),
    ...Object.entries(sources).flatMap(([id, source]) =>
      flawsOf(source).map((flaw) => `${name}, source ${id}: ${flaw}`),
    ),
  ]);
}

function lacksOf({ answer, at }: Claim, sources: Peer['sources']): string[] {
  const unknown = at.filter((place) => {
    const [, source] = /^([\w-]+): \S+$/.exec(place) ?? [];
    return source === undefined || !Object.hasOwn(sources, source);
  });
  return [
    ...(ANSWERS.includes(answer) ? [] : [`"${answer}" is no answer`]),
    ...(at.length > 0 ? [] : ['no place']),
    ...unknown.map((place) => `"${place}" names no source`),
  ];
}

function flawsOf({ version, date, repository, commit, package: published, pages }: Source): string[] {
  return [
    ...(/\S/.test(version ?? '') ? [] : ['no version']),
    ...(/^\d{4}-\d\d-\d\d$/.test(date ?? '') ? [] : ['no date']),
    ...([repository, published, pages].filter((each) => each !== undefined).length === 1 ? [] : ['no single place']),
    ...(repository === undefined || /^[\da-f]{40}$/.test(commit ?? '') ? [] : ['no commit']),
  ];
}
