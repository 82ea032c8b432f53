import type { DecodeOptions, EncodeOptions } from '../options.ts';
import { Decoder } from './decoder.ts';
import { Encoder } from './encoder.ts';

/** An encoder without options that is not in use, kept for its buffers. */
let idle: Encoder | undefined;

/**
 * Encodes a value into bytes, keeping cycles and shared references; bytes inside it are copied as they are.
 * @throws {CloneError} where the value holds something that cannot be cloned, with the path to it
 */
export function encode(value: unknown, options?: EncodeOptions): Uint8Array<ArrayBuffer> {
  if (options !== undefined) return new Encoder(options).write(value).finish();
  const encoder = idle ?? new Encoder();
  // A getter of the value may call this function again.
  idle = undefined;
  const bytes = encoder.write(value).finish();
  idle = encoder;
  return bytes;
}

/**
 * Decodes what `encode` returned. The result shares no memory with the bytes.
 * @throws {CloneError} where the bytes are not an encoding or pass a limit
 */
export function decode(bytes: Uint8Array | ArrayBuffer, options?: DecodeOptions): unknown {
  const decoder = new Decoder(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes), options);
  const value = decoder.read();
  decoder.finish();
  return value;
}
