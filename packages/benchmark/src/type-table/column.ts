/** A codec's column: how a value is sent and read, which may need something done beforehand. */
export interface Column {
  readonly heading: string;
  /** Whether `decode` does all, and `encode` only passes the value on. */
  readonly oneStep?: boolean;
  encode(value: unknown): unknown;
  decode(encoded: never): unknown;
  /** The same after the codec has been told of the class `Point`, where it can be. */
  readonly registered?: { encode(value: unknown): unknown; decode(encoded: never): unknown };
}
