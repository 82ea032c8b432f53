import { malformed, notCloneable } from '../clone-error.ts';
import type { Sink, Source } from './type-handler.ts';

type ViewConstructor = {
  new (buffer: ArrayBuffer, byteOffset?: number, length?: number): ArrayBufferView<ArrayBuffer>;
  BYTES_PER_ELEMENT?: number;
  name: string;
};

/** On the wire a view's class is its place in this list: append only. */
const VIEWS: readonly (ViewConstructor | undefined)[] = [
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  DataView,
  // Not in every runtime yet.
  (globalThis as { Float16Array?: ViewConstructor }).Float16Array,
];
const VIEW_INDEX = new Map(VIEWS.map((constructor, index) => [constructor?.name, index]));

export function writeArrayBuffer(buffer: ArrayBuffer, sink: Sink): void {
  if (Object.prototype.toString.call(buffer) === '[object SharedArrayBuffer]')
    throw notCloneable('SharedArrayBuffer', buffer);
  sink.sharesBuffer(buffer);
  sink.bytes(new Uint8Array(buffer));
}

export function readArrayBuffer(source: Source): ArrayBuffer {
  const reserved = source.reserve();
  return source.define(reserved, source.bytes().buffer);
}

/** Whether this view must travel together with its buffer. Subclasses, such as Node's pooled Buffer, always travel alone. */
export function isSharedView(view: ArrayBufferView, sink: Sink): boolean {
  const alone = Object.getPrototypeOf(view) !== VIEWS[viewIndexOf(view)]?.prototype;
  return !alone && sink.sharesBuffer(view.buffer);
}

/** Writes the bytes that the view shows, and no others of its buffer. */
export function writeView(view: ArrayBufferView, sink: Sink): void {
  sink.value(viewIndexOf(view));
  sink.bytes(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
}

export function readView(source: Source): ArrayBufferView {
  const reserved = source.reserve();
  const constructor = readViewClass(source);
  const { buffer } = source.bytes();
  if (buffer.byteLength % (constructor.BYTES_PER_ELEMENT ?? 1) !== 0) throw malformed('half an element in a view');
  return source.define(reserved, new constructor(buffer));
}

/** Writes a view of a buffer that other objects of the value use too. */
export function writeBufferView(view: ArrayBufferView, sink: Sink): void {
  sink.value(viewIndexOf(view));
  sink.value(view.byteOffset);
  sink.value((view as { length?: number }).length ?? view.byteLength);
  sink.value(view.buffer);
}

export function readBufferView(source: Source): ArrayBufferView {
  const reserved = source.reserve();
  const constructor = readViewClass(source);
  const byteOffset = source.integer(Number.MAX_SAFE_INTEGER);
  const length = source.integer(Number.MAX_SAFE_INTEGER);
  const buffer = source.value();
  if (!(buffer instanceof ArrayBuffer)) throw malformed('a view of something that is no buffer');
  const size = constructor.BYTES_PER_ELEMENT ?? 1;
  if (byteOffset % size !== 0 || byteOffset + length * size > buffer.byteLength) {
    throw malformed('a view reaches beyond its buffer');
  }
  return source.define(reserved, new constructor(buffer, byteOffset, length));
}

function viewIndexOf(view: ArrayBufferView): number {
  // The getter of %TypedArray% reads the internal slot: it is right for subclasses and other realms, and cannot be forged.
  const index = VIEW_INDEX.get(typedArrayName(view) ?? 'DataView');
  if (index === undefined) throw notCloneable(`${typedArrayName(view)}`, view);
  return index;
}

const typedArrayName: (view: ArrayBufferView) => string | undefined = (() => {
  const prototype = Object.getPrototypeOf(Uint8Array.prototype);
  const { get } = Object.getOwnPropertyDescriptor(prototype, Symbol.toStringTag)!;
  return (view) => get!.call(view);
})();

function readViewClass(source: Source): ViewConstructor {
  const constructor = VIEWS[source.integer(VIEWS.length - 1)];
  if (constructor === undefined) throw malformed('Float16Array is not known in this runtime');
  return constructor;
}
