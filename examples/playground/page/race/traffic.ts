/** What sockets carried, without the WebSocket's own framing. */
export interface Traffic {
  readonly framesUp: number;
  readonly framesDown: number;
  readonly bytesUp: number;
  readonly bytesDown: number;
}

export const NO_TRAFFIC: Traffic = { framesUp: 0, framesDown: 0, bytesUp: 0, bytesDown: 0 };

/** Combines two counts, number by number. */
export function combine(a: Traffic, b: Traffic, each: (a: number, b: number) => number): Traffic {
  return {
    framesUp: each(a.framesUp, b.framesUp),
    framesDown: each(a.framesDown, b.framesDown),
    bytesUp: each(a.bytesUp, b.bytesUp),
    bytesDown: each(a.bytesDown, b.bytesDown),
  };
}

export const plus = (a: number, b: number): number => a + b;
export const minus = (a: number, b: number): number => a - b;

/** How large a message of a socket is, in bytes; text as UTF-8. */
export function sizeOf(data: unknown): number {
  if (typeof data === 'string') return utf8Length(data);
  if (data instanceof Blob) return data.size;
  return data instanceof ArrayBuffer || ArrayBuffer.isView(data) ? data.byteLength : 0;
}

/** Without making the bytes: what is raced is not to wait for its being counted. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Each half of a pair is two of its four bytes.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
