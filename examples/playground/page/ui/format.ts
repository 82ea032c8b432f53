const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** Writes a count: whole from a thousand on, with three digits below. */
export function formatCount(count: number): string {
  return (count < 1000 ? short : whole).format(count);
}

/** Writes a duration with its unit, given in milliseconds. */
export function formatMs(ms: number): string {
  return ms < 1 ? `${short.format(ms * 1000)} µs` : `${formatCount(ms)} ms`;
}

/** Writes a number of bytes with its unit. */
export function formatBytes(bytes: number): string {
  return bytes < 10_000 ? `${whole.format(bytes)} B` : `${short.format(bytes / 1024)} KiB`;
}
