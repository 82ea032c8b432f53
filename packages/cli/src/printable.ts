import { inspect } from 'node:util';
import { isStub } from './stub.ts';
import { UsageError } from './usage-error.ts';

/** Returns a value as text, in full, in the format of Node's console. */
export function printable(value: unknown, colors = false): string {
  if (isStub(value)) return '[stub: a target or function that stays with the object]';
  return withoutControls(
    inspect(value, { depth: 12, maxArrayLength: 1000, maxStringLength: 100_000, colors, compact: 3 }),
  );
}

const ESCAPE = '\x1b';

/**
 * Escapes the control characters in a text from an object, except line breaks, tabs and colors. A terminal would obey
 * the others.
 */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, (control, at: number) => {
    const isColour = control === ESCAPE && /^\[[\d;]*m/.test(text.slice(at + 1, at + 12));
    return isColour ? control : `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}

/** Escapes the control characters in a JSON text that JSON itself leaves as they are. A terminal would obey them. */
export function withoutControlsInJson(json: string): string {
  return json.replace(/[\x7f-\x9f]/g, (control) => `\\u00${control.charCodeAt(0).toString(16)}`);
}

/**
 * Returns a value as JSON, for other programs. Dates and URLs become text, and undefined is left out, as usual in JSON.
 * @throws {UsageError} if JSON cannot represent the value, or if the value contains itself
 */
export function asJson(value: unknown): string {
  /** The objects that are being written, each inside the one before it. */
  const within: unknown[] = [];
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, part) {
    while (within.length > 0 && within.at(-1) !== this) within.pop();
    const isCircle = typeof part === 'object' && part !== null && within.includes(part);
    // An invalid date becomes null in JSON.
    if (isCircle || !isInJson(part) || (part === null && this[key] !== null)) {
      const what = isCircle ? 'an object that is within itself' : printable(this[key]);
      throw new UsageError(`--json cannot say ${what}: leave it out to see the value`);
    }
    if (typeof part === 'object') within.push(part);
    return part;
  });
  return withoutControlsInJson(text ?? 'null');
}

/** Returns true if JSON can represent a value, not counting the values of its properties. */
function isInJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return !['bigint', 'symbol', 'function'].includes(typeof value);
  if (isStub(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}
