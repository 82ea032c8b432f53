import { createEncoder, type Extension } from '@lumenize/structured-clone';

/** A text that is in the arguments often takes a few bytes each time in a frame, and its whole length here. */
const MAX_BYTES = 1_048_576;

/** Targets, functions and streams are all alike: calls with them are never made again. */
const extend = (): Extension => ({ kind: 0, payload: null });

/** One for all: to make one takes longer than to encode few arguments. */
const encoder = createEncoder({ extend, limits: { maxBytes: MAX_BYTES } });

/**
 * A number that tells calls from each other by method and arguments: 53 bits, against mistakes and not against attackers,
 * who could only deceive themselves. Arguments that take more than 1 MiB, or hold a Blob, whose bytes are not at hand, do not
 * count.
 */
export function fingerprint(method: string, args: unknown[]): number {
  try {
    encoder.write([method, args]);
  } catch {
    encoder.write(method);
  }
  const bytes = encoder.finish();
  let high = bytes.length;
  let low = 0x9e3779b9;
  for (const byte of bytes) {
    high = Math.imul(high ^ byte, 0x85ebca6b);
    low = Math.imul(low ^ byte, 0xc2b2ae35) + (high >>> 15);
  }
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
