import { malformed } from '../clone-error.ts';
import type { DecodeOptions, EncodeOptions } from '../options.ts';
import { createDecoder, type Decoder } from './decoder.ts';
import { createEncoder, type Encoder } from './encoder.ts';

/** Made when first needed, and kept: making one costs more than a small value does. */
let plainEncoder: Encoder | undefined;
let plainDecoder: Decoder | undefined;

/**
 * Encodes a value into bytes, keeping cycles and shared references; bytes inside it are copied as they are.
 * @throws {CloneError} where the value holds something that cannot be cloned, with the path to it
 */
export function encode(value: unknown, options?: EncodeOptions): Uint8Array<ArrayBuffer> {
  const encoder = options === undefined ? (plainEncoder ?? createEncoder()) : createEncoder(options);
  // A getter of the value may call this function again.
  plainEncoder = undefined;
  encoder.write(value);
  const bytes = encoder.finish();
  if (options === undefined) plainEncoder = encoder;
  return bytes;
}

/**
 * Decodes what `encode` returned. The result shares no memory with the bytes.
 * @throws {CloneError} where the bytes are not an encoding or pass a limit
 */
export function decode(bytes: Uint8Array | ArrayBuffer, options?: DecodeOptions): unknown {
  plainDecoder ??= createDecoder();
  const decoder = options === undefined ? plainDecoder : createDecoder(options);
  let value: unknown;
  let count = 0;
  decoder(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes), (decoded) => {
    value = decoded;
    count++;
  });
  if (count !== 1) throw malformed(`${count} values`);
  return value;
}
