import { notCloneable } from '../clone-error.ts';
import type { Taking } from '../write.ts';
import { builtIn, integer, isShared, requirePart } from './types.ts';

/** The largest `maxByteLength` of a resizable buffer. Engines reserve addresses for it, not memory. */
const MAX_RESERVED_BYTES = 2 ** 30;

const VIEWS = /^\$((BigInt64|BigUint64|Uint8Clamped|(Int|Uint)(8|16|32)|Float(16|32|64))Array|DataView)$/;

/** Returns true for the marks of views, and of what may be one. */
export function isView(mark: string): boolean {
  return (mark.endsWith('Array') && mark !== '$Array') || mark === '$DataView';
}

/**
 * Takes a buffer or a view apart. A view is written with its whole buffer if other objects of the value use that buffer,
 * and with only the bytes it shows otherwise. Instances of subclasses, such as Node's pooled Buffer, never include their
 * buffer.
 */
// biome-ignore lint/suspicious/noExplicitAny: of the class that the name says
export function takeBinary(mark: string, value: any, state: Taking): unknown[] | undefined {
  const isBuffer = mark === '$ArrayBuffer';
  if (!isBuffer && !VIEWS.test(mark)) return undefined;
  const { buffer = value } = value;
  if (buffer.detached) throw notCloneable(value, 'detached buffers');
  const { byteOffset, byteLength } = value;
  const { resizable, maxByteLength } = buffer;
  const { prototype, BYTES_PER_ELEMENT: size = 1 } = builtIn(mark);
  const isOwn = Object.getPrototypeOf(value) === prototype;
  const isWhole = isOwn && isShared(buffer, state);
  if (isBuffer) {
    if (resizable && maxByteLength > MAX_RESERVED_BYTES) throw notCloneable(value, 'buffers that may exceed 1 GiB');
    const bytes = new Uint8Array(buffer);
    return resizable ? [bytes, maxByteLength] : [bytes];
  }
  // The length is also 0 if the buffer became too short for the view. Methods of such a view throw.
  if (!byteLength) value.at?.(0);
  // A view does not tell whether it follows the length of its buffer. This assumes that a view up to the end of a
  // resizable buffer does.
  const follows = resizable && buffer.byteLength - byteOffset - byteLength < size;
  return isWhole || (follows && isOwn)
    ? [buffer, byteOffset, follows ? undefined : byteLength / size]
    : [new Uint8Array(buffer, byteOffset, byteLength)];
}

// biome-ignore lint/suspicious/noExplicitAny: they are checked here
export function makeBinary(mark: string, parts: any[]): object | undefined {
  const isBuffer = mark === '$ArrayBuffer';
  const View = (isBuffer || VIEWS.test(mark)) && builtIn(mark);
  if (!View) return undefined;
  const [of, offset, length] = parts;
  const isBytes = of instanceof Uint8Array;
  if (parts.length === 1) {
    requirePart(isBytes);
    return isBuffer ? of.buffer : new View(of.buffer);
  }
  integer(offset);
  if (isBuffer) {
    requirePart(isBytes && parts.length === 2 && offset <= MAX_RESERVED_BYTES);
    const buffer = new ArrayBuffer(of.length, { maxByteLength: offset } as object);
    new Uint8Array(buffer).set(of);
    return buffer;
  }
  // Otherwise the constructors would take a number as a length, or an array as elements.
  requirePart(of instanceof ArrayBuffer && parts.length === 3);
  return new View(of, offset, length === undefined ? length : integer(length));
}
