import { malformed } from '../core/clone-error.ts';
import type { DecodeOptions, EncodeOptions } from '../core/options.ts';
import type { Decoder, Encoder } from './codec.ts';
import { createDecoder } from './decoder.ts';
import { createEncoder } from './encoder.ts';
import { decodeShortString, encodeShortString } from './short-string.ts';

/** Made when first needed, and kept: making one costs more than a small value does. */
let plainEncoder: Encoder | undefined;
let plainDecoder: Decoder | undefined;

/**
 * Encodes a value into bytes, keeping cycles and shared references; bytes inside it are copied as they are.
 * @throws {CloneError} where the value holds something that cannot be cloned, with the path to it
 */
export function encode(value: unknown, options?: EncodeOptions): Uint8Array<ArrayBuffer> {
  if (typeof value === 'string' && !options) {
    const bytes = encodeShortString(value);
    if (bytes !== undefined) return bytes;
  }
  const encoder = (options ? undefined : plainEncoder) ?? createEncoder(options);
  // A getter of the value may call this function again.
  plainEncoder = undefined;
  encoder.write(value);
  const bytes = encoder.finish();
  if (!options) plainEncoder = encoder;
  return bytes;
}

/**
 * Decodes what `encode` returned. The result shares no memory with the bytes.
 * @throws {CloneError} where the bytes are not an encoding or pass a limit
 */
export function decode(bytes: Uint8Array | ArrayBuffer, options?: DecodeOptions): unknown {
  const encoding = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
  if (!options) {
    const text = decodeShortString(encoding);
    if (text !== undefined) return text;
  }
  plainDecoder ??= createDecoder();
  const decoder = options ? createDecoder(options) : plainDecoder;
  let value: unknown;
  let count = 0;
  decoder(encoding, (decoded) => {
    value = decoded;
    count++;
  });
  if (count !== 1) throw malformed(`${count} values`);
  return value;
}
