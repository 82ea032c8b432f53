/** An option with a value at its extreme. */
export interface Edge {
  /** The names that lead to the option, such as `limits.maxReferences`. */
  readonly at: string;
  /** One of the keys of `EDGES`: JSON has no such values. */
  readonly value: string;
}

/** Values at the extremes of options that are numbers, and values that are none. */
export const EDGES: Readonly<Record<string, unknown>> = {
  '0': 0,
  '-1': -1,
  '0.5': 0.5,
  '1e18': 1e18,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
  NaN: Number.NaN,
  text: 'text',
  null: null,
};

/** Sets an option to a value at its extreme. */
export function setEdge(options: object, { at, value }: Edge): void {
  const path = at.split('.');
  const last = path.pop()!;
  let place = options as Record<string, unknown>;
  for (const name of path) {
    place[name] ??= {};
    place = place[name] as Record<string, unknown>;
  }
  place[last] = EDGES[value];
}

/** The object of a scenario: the options of the server, and its topics. */
export interface ScenarioSpec {
  /** True if clients without a token are let in, all as the same user. */
  readonly anyone?: boolean;
  readonly limits?: Readonly<Record<string, number>>;
  /** The rate of operations of a connection, or of all connections of an identity: at once, and per second. */
  readonly connectionRate?: { readonly operationsPerSecond: number; readonly burst: number };
  readonly identityRate?: { readonly operationsPerSecond: number; readonly burst: number };
  readonly storedResults?: { readonly retentionMs?: number; readonly maxResults?: number; readonly maxBytes?: number };
  /** An option of the server, or of a topic: `topics.0.retain`. */
  readonly edge?: Edge;
  readonly topics?: readonly {
    readonly retain: number;
    readonly persist?: { readonly everyEvents: number; readonly everyMs: number };
  }[];
}
