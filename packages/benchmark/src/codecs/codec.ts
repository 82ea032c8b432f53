/** The codecs that the values family measures; `copy` only copies bytes, and is what bytes cannot be faster than. */
export type CodecName =
  | 'lumenize'
  | 'lumenize-text'
  | 'JSON'
  | 'v8'
  | 'structuredClone'
  | 'devalue'
  | 'superjson'
  | 'seroval'
  | 'cbor-x'
  | 'msgpackr'
  | 'capnweb'
  | 'copy';

/**
 * What a codec takes part as: `ours` and `rival` are JavaScript and carry more than JSON, so that they compete; JSON is
 * what plain data is compared with; `native` has no JavaScript form; `reference` is no codec.
 */
export type CodecKind = 'ours' | 'rival' | 'json' | 'native' | 'reference';

/** A way to make a value into something that can be sent, and back. Neither function may keep what it was given. */
export interface Codec {
  readonly name: CodecName;
  readonly kind: CodecKind;
  /** How it is called and set up, where there is a choice. */
  readonly settings: string;
  /** Whether encoding and decoding are one step, `decode`, and `encode` returns the value as it is. */
  readonly oneStep?: boolean;
  /** Returns bytes or text; throws where it knows that it cannot carry the value. */
  encode(value: unknown): unknown;
  /** Reads what `encode` returned. */
  decode(encoded: never): unknown;
}
