import { type DecodeOptions, decode, type EncodeOptions, encode, parse, stringify } from '@lumenize/structured-clone';

/** What is fuzzed. */
export interface Codec {
  readonly decode: typeof decode;
  readonly encode: typeof encode;
  parse(text: string, options?: DecodeOptions): unknown;
  stringify(value: unknown, options?: EncodeOptions): string;
}

const CODEC: Codec = { decode, encode, parse, stringify };

/** What the codec can be made to do wrong, so that it can be tested whether the fuzzer notices. */
export type Defect = 'throws' | 'hangs' | 'allocates' | 'pollutes' | 'forgets' | 'dies';

const DEFECTS: Readonly<Record<Defect, () => unknown>> = {
  throws() {
    throw new TypeError('no CloneError');
  },
  hangs() {
    for (;;);
  },
  allocates: () => new Uint8Array(100_000_000),
  pollutes: () => Object.defineProperty(Object.prototype, 'polluted', { value: true, configurable: true }),
  dies: () => process.exit(),
  forgets() {},
};

/** The codec, or one that does something wrong whenever a text says `true`. */
export function codecWith(defect: Defect | undefined): Codec {
  if (defect === undefined) return CODEC;
  return {
    ...CODEC,
    parse(text, options) {
      const value = CODEC.parse(text, options);
      if (text.includes('true')) DEFECTS[defect]();
      return value;
    },
    stringify(value, options) {
      const text = CODEC.stringify(value, options);
      return defect === 'forgets' ? text.replaceAll('true', 'false') : text;
    },
  };
}
