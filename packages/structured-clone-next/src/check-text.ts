import { checkBytes, checkLimit, type Limits } from './limits.ts';

/**
 * Throws if parsing a JSON text would make too many objects, or objects nested too deep. It looks only at texts that
 * are long enough for that, and at nothing but brackets and strings, so it costs less than parsing.
 *
 * Inside marks, an object may take two brackets and two levels. So the bounds are twice the limits, and `read` checks
 * the limits themselves. With `isPlain`, the text holds no marks, and the bounds are the limits.
 * @param others The number of bytes that belong to the text.
 * @throws {CloneError} if a limit is exceeded
 */
export function checkText(text: string, limits: Readonly<Limits>, others = 0, isPlain = false): void {
  checkBytes(text, others, limits);
  const few = Math.min(limits.maxDepth, limits.maxObjects);
  // Each object takes two brackets.
  if (text.length > 2 * few && countOpened(text, few) > few) checkBrackets(text, limits, isPlain);
}

/** Counts the opening brackets of a text, including those in its strings. Stops when the count exceeds `most`. */
function countOpened(text: string, most: number): number {
  let count = 0;
  for (const bracket of '{[') {
    for (let at = text.indexOf(bracket); at >= 0 && count <= most; at = text.indexOf(bracket, at + 1)) count++;
  }
  return count;
}

function checkBrackets(text: string, limits: Readonly<Limits>, isPlain: boolean): void {
  const deepest = isPlain ? limits.maxDepth : 2 * limits.maxDepth + 2;
  const most = isPlain ? limits.maxObjects : 2 * limits.maxObjects + 2;
  let depth = 0;
  let objects = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > deepest) checkLimit('maxDepth', Number.POSITIVE_INFINITY, limits);
      // Marks with small letters are no objects, such as that of undefined, or have brackets enough.
      if (isPlain || code === 0x5b || !/^."\$[a-z]/.test(text.substring(at, at + 4))) objects++;
      if (objects > most) checkLimit('maxObjects', Number.POSITIVE_INFINITY, limits);
    } else if (code === 0x5d || code === 0x7d) {
      depth--;
    }
  }
}

/** Returns the index of the quote that ends the string that begins at an index. */
function endOfString(text: string, begin: number): number {
  let at = begin;
  for (;;) {
    at = text.indexOf('"', at + 1);
    // Without an end, the text is not JSON, as parsing it will show.
    if (at < 0) return text.length;
    let slash = at;
    while (text.charCodeAt(slash - 1) === 0x5c) slash--;
    if ((at - slash) % 2 === 0) return at;
  }
}
