import { encode } from '@lumenize/structured-clone';

/**
 * A number that tells calls from each other by method and arguments: 53 bits, against mistakes and not against attackers,
 * who could only deceive themselves.
 */
export function fingerprint(method: string, args: unknown[]): number {
  let bytes: Uint8Array;
  try {
    // Targets, functions and streams are all alike: calls with them are never made again.
    bytes = encode([method, args], { extend: () => ({ kind: 0, payload: null }) });
  } catch {
    return 0; // such as one with a Blob, whose bytes are not at hand
  }
  let high = bytes.length;
  let low = 0x9e3779b9;
  for (const byte of bytes) {
    high = Math.imul(high ^ byte, 0x85ebca6b);
    low = Math.imul(low ^ byte, 0xc2b2ae35) + (high >>> 15);
  }
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
