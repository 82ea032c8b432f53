/** Formats a time in ms with as many decimals as its size deserves. */
export function ms(value: number): string {
  return value.toFixed(value < 10 ? 3 : value < 100 ? 2 : 1);
}

/** Formats a time in µs with three significant digits or more. */
export function us(value: number): string {
  return value.toFixed(value < 0.1 ? 4 : value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);
}

/** Formats a ratio with about three significant places. */
export function ratio(value: number): string {
  return value.toFixed(value < 0.1 ? 3 : value < 10 ? 2 : 1);
}

/** Formats an interval of ratios. */
export function interval([low, high]: readonly [number, number]): string {
  return `${ratio(low)}–${ratio(high)}`;
}

/** Formats a count or mean without decimals that say nothing. */
export function count(value: number): string {
  return Number.isInteger(value) ? String(value) : value < 10 ? value.toFixed(2) : value.toFixed(1);
}

/** Formats a share as a percentage. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}

/** Joins items as a sentence lists them. */
export function list(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items[items.length - 1]}`;
}
