/** A version, an id of the trace and one of the span, neither of them zero, and flags; later versions may go on behind that. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|-)/;
const LENGTH = 55;

/**
 * Returns a `traceparent` if it is one by the W3C's recommendation Trace Context; else undefined, since whoever receives another
 * has to take it for none.
 */
export function validTraceparent(text: string | undefined): string | undefined {
  if (text === undefined || !TRACEPARENT.test(text)) return undefined;
  return text.startsWith('00') && text.length !== LENGTH ? undefined : text;
}
