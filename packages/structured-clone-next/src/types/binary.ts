import { notCloneable } from '../clone-error.ts';
import type { Reader } from '../read.ts';
import type { Writer } from '../write.ts';
import { builtIn, integer, refuseNamed, requirePart } from './types.ts';

/** The largest `maxByteLength` of a resizable buffer. Engines reserve addresses for it, not memory. */
const MAX_RESERVED_BYTES = 1_073_741_824;

/**
 * The number of objects that a resizable buffer counts as besides those of a fixed one. It takes a page of memory and
 * two mappings. Linux gives a process 65,530 of them, and V8 ends a process that gets no more.
 */
const RESIZABLE_WEIGHT = 59;

const VIEWS = /^(BigInt64|BigUint64|Uint8Clamped|(Int|Uint)(8|16|32)|Float(16|32|64))Array$|^DataView$/;

/**
 * Takes a buffer or a view apart. A view is written with its whole buffer if other objects of the value use that buffer,
 * and with only the bytes it shows otherwise. Instances of subclasses, such as Node's pooled Buffer, never include their
 * buffer.
 */
// biome-ignore lint/suspicious/noExplicitAny: of the class that the name says
export function takeBinary(name: string, value: any, to: Writer): unknown[] | undefined {
  const isBuffer = name === 'ArrayBuffer';
  if (!isBuffer && !VIEWS.test(name)) return undefined;
  to.count(4);
  const buffer = isBuffer ? value : value.buffer;
  if (buffer.detached) throw notCloneable(value, 'detached buffers');
  if (isBuffer) {
    refuseNamed(value);
    to.shares(buffer);
    const { resizable, maxByteLength } = buffer;
    if (resizable && maxByteLength > MAX_RESERVED_BYTES) throw notCloneable(value, 'buffers that may exceed 1 GiB');
    const bytes = new Uint8Array(buffer);
    if (!resizable) return [bytes];
    to.count(RESIZABLE_WEIGHT);
    return [bytes, maxByteLength];
  }
  const { byteOffset, byteLength } = value;
  // The length is also 0 if the buffer became too short for the view. Methods of such a view throw.
  if (byteLength === 0) value.at?.(0);
  const { prototype, BYTES_PER_ELEMENT: size = 1 } = builtIn(name);
  // A view does not tell whether it follows the length of its buffer. This assumes that a view up to the end of a
  // resizable buffer does.
  const follows = buffer.resizable && buffer.byteLength - byteOffset - byteLength < size;
  return Object.getPrototypeOf(value) === prototype && (to.shares(buffer) || follows)
    ? [buffer, byteOffset, follows ? undefined : byteLength / size]
    : [new Uint8Array(buffer, byteOffset, byteLength)];
}

export function makeBinary(name: string, content: unknown[], from: Reader): object | undefined {
  const isBuffer = name === 'ArrayBuffer';
  const View = builtIn(name);
  if (!View || (!isBuffer && !VIEWS.test(name))) return undefined;
  from.count(4);
  const parts = from.parts(content);
  const [of, byteOffset, length] = parts;
  if (isBuffer) {
    requirePart(of instanceof Uint8Array && parts.length < 3);
    if (byteOffset === undefined) return of.buffer;
    const maxByteLength = integer(byteOffset);
    requirePart(maxByteLength <= MAX_RESERVED_BYTES);
    from.count(RESIZABLE_WEIGHT);
    const buffer = new ArrayBuffer(of.length, { maxByteLength } as object);
    new Uint8Array(buffer).set(of);
    return buffer;
  }
  if (parts.length === 1) {
    requirePart(of instanceof Uint8Array);
    return new View(of.buffer);
  }
  // Otherwise the constructors would take a number as a length, or an array as elements.
  requirePart(parts.length === 3 && of instanceof ArrayBuffer);
  return new View(of, integer(byteOffset), length === undefined ? length : integer(length));
}
