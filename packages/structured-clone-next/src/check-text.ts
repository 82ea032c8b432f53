import { checkBytes, checkLimit, type Limits } from './limits.ts';

/**
 * Throws if parsing a JSON text would make too many objects, or objects nested too deep. A text that is too short for
 * that, or has too few brackets, is not looked at any further.
 *
 * Inside marks, an object may take two brackets and two levels. So the bounds are twice the limits, and `read` checks
 * the limits themselves. With a `factor` of 1, the text holds no marks, and the bounds are the limits.
 * @param others The number of bytes that belong to the text.
 * @throws {CloneError} if a limit is exceeded
 */
export function checkText(text: string, limits: Readonly<Limits>, others = 0, factor: 1 | 2 = 2): void {
  checkBytes(text, others, limits);
  const { maxDepth, maxObjects } = limits;
  let few = Math.min(maxDepth, maxObjects);
  // Each object takes two brackets.
  if (text.length <= 2 * few) return;
  for (const bracket of '{[') {
    for (let at = text.indexOf(bracket); at >= 0 && few >= 0; at = text.indexOf(bracket, at + 1)) few--;
  }
  if (few >= 0) return;
  let depth = 2 - 2 * factor;
  let objects = depth;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // A backslash: the next character ends no string. Outside of strings, the text is not JSON.
    if (code === 0x5c) at++;
    else if (code === 0x22) isString = !isString;
    else if (isString) continue;
    // `[` and `{` differ in one bit, and so do `]` and `}`.
    else if ((code | 0x20) === 0x7b) {
      checkLimit('maxDepth', ++depth / factor, limits);
      // Marks with small letters are no objects, such as that of undefined, or have brackets enough.
      if (factor === 1 || !/^{"\$[a-z]/.test(text.substring(at, at + 4)))
        checkLimit('maxObjects', ++objects / factor, limits);
    } else if ((code | 0x20) === 0x7d) depth--;
  }
}
