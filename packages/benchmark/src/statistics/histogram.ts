import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';

const NS_PER_MS = 1e6;
/** Two digits are values exact to 1 %, at a fraction of the size of three. */
const SIGNIFICANT_DIGITS = 2;

/** Encodes times in ms as a compressed HdrHistogram of nanoseconds, in base64: what a report draws a distribution from. */
export function encodeSamples(samplesMs: readonly number[]): string {
  const histogram = build({ numberOfSignificantValueDigits: SIGNIFICANT_DIGITS });
  for (const sample of samplesMs) histogram.recordValue(Math.max(1, Math.round(sample * NS_PER_MS)));
  return encodeIntoCompressedBase64(histogram);
}

/** Decodes what `encodeSamples` made: a histogram of nanoseconds. */
export function decodeSamples(encoded: string): Histogram {
  return decodeFromCompressedBase64(encoded);
}
