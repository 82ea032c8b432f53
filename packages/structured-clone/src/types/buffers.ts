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

/** The getter reads an internal slot: it is right for subclasses and other realms, and cannot be forged. */
const nameOf: (this: ArrayBufferView) => string | undefined = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)!.get!;

export function writeArrayBuffer(buffer: ArrayBuffer, sink: Sink): void {
  sink.sharesBuffer(buffer);
  sink.bytes(new Uint8Array(buffer));
}

export function readArrayBuffer(source: Source): ArrayBuffer {
  return source.define(source.reserve(), source.bytes().buffer);
}

/**
 * Writes a view: where other objects of the value use its buffer, with the whole buffer, else with no more than the
 * bytes it shows. Subclasses, such as Node's pooled Buffer, never bring their buffer.
 */
export function writeView(view: ArrayBufferView, sink: Sink): void {
  const name = nameOf.call(view) ?? 'DataView';
  const index = VIEWS.findIndex((constructor) => constructor?.name === name);
  if (index < 0) throw notCloneable(name, view);
  if (Object.getPrototypeOf(view) === VIEWS[index]!.prototype && sink.sharesBuffer(view.buffer)) {
    sink.value(index * 2 + 1);
    sink.value(view.byteOffset);
    sink.value((view as { length?: number }).length ?? view.byteLength);
    sink.value(view.buffer);
  } else {
    sink.value(index * 2);
    sink.bytes(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  }
}

export function readView(source: Source): ArrayBufferView {
  const reserved = source.reserve();
  const kind = source.integer(VIEWS.length * 2 - 1);
  const constructor = VIEWS[kind >> 1];
  if (constructor === undefined) throw malformed('Float16Array');
  try {
    if (kind % 2 === 0) return source.define(reserved, new constructor(source.bytes().buffer));
    const byteOffset = source.integer(Number.MAX_SAFE_INTEGER);
    const length = source.integer(Number.MAX_SAFE_INTEGER);
    const buffer = source.value();
    // Without this, the constructors would take a number for a length, or an array for elements.
    if (!(buffer instanceof ArrayBuffer)) throw malformed('buffer');
    return source.define(reserved, new constructor(buffer, byteOffset, length));
  } catch (error) {
    // The constructors check that elements are whole and lie in the buffer.
    throw error instanceof RangeError ? malformed('view') : error;
  }
}
