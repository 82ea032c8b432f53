/** What a value of a class consists of beside its properties, by names; compared one by one. */
export type InnerParts = Readonly<Record<string, unknown>>;

interface ClassParts {
  readonly isOne: (value: object) => boolean;
  readonly parts: (value: never) => InnerParts;
  /** Whether properties of its own are compared as well; platforms keep state of theirs in properties of some classes. */
  readonly properties: boolean;
}

/** How much of the buffer behind a view counts: all of it, or what the view shows. */
export type ViewsMode = 'whole' | 'shown';

const CLASSES: readonly ClassParts[] = [
  parts(Date, (date) => ({ 'getTime()': date.getTime() })),
  parts(RegExp, ({ source, flags }) => ({ source, flags })),
  parts(Map, (map) => entries('entry', [...map].flat())),
  parts(Set, (set) => entries('member', [...set])),
  parts(Number, (number) => ({ 'valueOf()': Number.prototype.valueOf.call(number) })),
  parts(String, (string) => ({ 'valueOf()': String.prototype.valueOf.call(string) })),
  parts(Boolean, (boolean) => ({ 'valueOf()': Boolean.prototype.valueOf.call(boolean) })),
  parts(BigInt, (bigint) => ({ 'valueOf()': BigInt.prototype.valueOf.call(bigint) })),
  parts(DOMException, ({ name, message, code }) => ({ name, message, code }), false),
  parts(URL, ({ href }) => ({ href }), false),
  parts(URLSearchParams, (params) => ({ 'toString()': params.toString() }), false),
  parts(Headers, (headers) => entries('entry', [...headers].flat()), false),
  parts(Blob, ({ size, type }) => ({ size, type }), false),
];

/** Returns the parts of an object that are no properties, or undefined where it is of no class that has such. */
export function innerParts(value: object, views: ViewsMode): { parts: InnerParts; properties: boolean } | undefined {
  if (ArrayBuffer.isView(value)) return { parts: viewParts(value, views), properties: false };
  if (value instanceof ArrayBuffer) return { parts: bufferParts(value), properties: true };
  const found = CLASSES.find(({ isOne }) => isOne(value));
  return found && { parts: found.parts(value as never), properties: found.properties };
}

function viewParts(view: ArrayBufferView, views: ViewsMode): InnerParts {
  const { byteLength, byteOffset, buffer } = view;
  if (views === 'shown') return { byteLength, bytes: bytesOf(buffer, byteOffset, byteLength) };
  return { byteLength, byteOffset, 'tracks its buffer’s length': tracksLength(view), buffer };
}

function bufferParts(buffer: ArrayBuffer): InnerParts {
  const { byteLength, resizable, maxByteLength } = buffer;
  return { byteLength, resizable, maxByteLength, bytes: bytesOf(buffer, 0, byteLength) };
}

/** Only by growing the buffer can a view be told that follows its length from one that happens to show all of it. */
function tracksLength(view: ArrayBufferView): boolean {
  const { buffer, byteLength } = view;
  if (!(buffer instanceof ArrayBuffer) || !buffer.resizable) return false;
  const before = buffer.byteLength;
  buffer.resize(buffer.maxByteLength);
  const tracks = view.byteLength !== byteLength;
  buffer.resize(before);
  return tracks;
}

/** Bytes as text: what differs is one primitive then, and a megabyte is compared at once. */
function bytesOf(buffer: ArrayBufferLike, offset: number, length: number): string {
  return new TextDecoder('latin1').decode(new Uint8Array(buffer, offset, length));
}

function entries(name: string, items: readonly unknown[]): InnerParts {
  return Object.fromEntries([['size', items.length], ...items.map((item, i) => [`${name} ${i}`, item])]);
}

function parts<T>(
  constructor: { prototype: T; name: string },
  read: (value: T) => InnerParts,
  properties = true,
): ClassParts {
  const prototype = constructor.prototype as object;
  return { isOne: (value) => Object.prototype.isPrototypeOf.call(prototype, value), parts: read, properties };
}
