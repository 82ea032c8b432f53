import { builtIn, integer, type Row, refuse, requirePart, row, type Taking } from '../types.ts';

/** The largest `maxByteLength` of a resizable buffer. Engines reserve addresses for it, not memory. */
const MAX_RESERVED_BYTES = 1_073_741_824;

/** Records one more use of a buffer. Returns true if the whole buffer must be written. */
function isShared(buffer: ArrayBuffer, state: Taking): boolean | undefined {
  state.used ??= new Set();
  if (state.used.has(buffer)) state.shared = (state.shared ?? new Set()).add(buffer);
  state.used.add(buffer);
  return state.shared?.has(buffer);
}

/**
 * Returns the row of `$ArrayBuffer`, or of a class of views. A view is written with its whole buffer if other objects of
 * the value use that buffer, and with only the bytes it shows otherwise. Instances of subclasses, such as Node's pooled
 * Buffer, never include their buffer.
 */
export function binaryRow(mark: string): Row | undefined {
  if (mark === '$ArrayBuffer') {
    return row(
      // A resizable one takes a page of memory and two mappings. Linux gives a process 65,530 of them, and V8 ends a
      // process that gets no more.
      (parts) => (parts.length > 1 ? 64 : 5),
      (buffer, state) => {
        isShared(buffer, state);
        const { resizable, maxByteLength } = buffer;
        if (resizable && maxByteLength > MAX_RESERVED_BYTES) refuse(state, 'buffers that may exceed 1 GiB');
        const bytes = new Uint8Array(buffer);
        return resizable ? [bytes, maxByteLength] : [bytes];
      },
      (parts) => {
        const [bytes, maxByteLength] = parts;
        requirePart(bytes instanceof Uint8Array && parts.length < 3);
        if (parts.length === 1) return bytes.buffer;
        requirePart(integer(maxByteLength) <= MAX_RESERVED_BYTES);
        const buffer = new ArrayBuffer(bytes.length, { maxByteLength } as object);
        new Uint8Array(buffer).set(bytes);
        return buffer;
      },
    );
  }
  const View = /(Array|^.DataView)$/.test(mark) && builtIn(mark);
  // Only the platform's own classes have the property of their own.
  if (!View || !(Object.hasOwn(View, 'BYTES_PER_ELEMENT') || mark === '$DataView')) return undefined;
  return row(
    5,
    (view, state) => {
      const { buffer } = view;
      const isOwn = Object.getPrototypeOf(view) === View.prototype;
      // Buffers of which only parts are written are no objects of the value.
      const isWhole = isOwn && isShared(buffer, state);
      const { byteOffset, byteLength } = view;
      // The length is also 0 if the buffer became too short for the view, or was transferred. Methods of such a view throw.
      if (!byteLength) view.at?.(0);
      const { BYTES_PER_ELEMENT: size = 1 } = View;
      // A view does not tell whether it follows the length of its buffer. This assumes that a view up to the end of a
      // resizable buffer does.
      const follows = isOwn && buffer.resizable && buffer.byteLength - byteOffset - byteLength < size;
      return isWhole || follows
        ? [buffer, byteOffset, follows ? undefined : byteLength / size]
        : [new Uint8Array(buffer, byteOffset, byteLength)];
    },
    (parts) => {
      const [of, byteOffset, length] = parts;
      if (parts.length === 1) {
        // Otherwise the constructors would take a number as a length, or an array as elements.
        requirePart(of instanceof Uint8Array);
        return new View(of.buffer);
      }
      requirePart(of instanceof ArrayBuffer && parts.length === 3);
      return new View(of, integer(byteOffset), length === undefined ? length : integer(length));
    },
    undefined,
    () => '.buffer',
    // They are not listed: there may be millions of elements.
    true,
  );
}
