/** The object of a scenario: the options of the server, and its topics. */
export interface ScenarioSpec {
  readonly limits?: Readonly<Record<string, number>>;
  /** The rate of operations of a connection, or of all connections of an identity: at once, and per second. */
  readonly connectionRate?: { readonly operationsPerSecond: number; readonly burst: number };
  readonly identityRate?: { readonly operationsPerSecond: number; readonly burst: number };
  readonly storedResults?: { readonly retentionMs?: number; readonly maxResults?: number; readonly maxBytes?: number };
  readonly topics?: readonly {
    readonly retain: number;
    readonly persist?: { readonly everyEvents: number; readonly everyMs: number };
  }[];
}
