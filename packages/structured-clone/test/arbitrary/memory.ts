import fc from 'fast-check';
import { type Kind, kind } from './kind.ts';

/** A buffer of the pool that the views of a graph share. */
export interface BufferPlan {
  readonly bytes: readonly number[];
  /** How much it can grow; undefined for a buffer that cannot. */
  readonly room: number | undefined;
}

interface ViewPlan {
  readonly type: string;
  readonly buffer: number;
  /** In elements, each within what the buffer has. */
  readonly offset: number;
  readonly length: number;
  /** Whether it grows with its buffer, where that can. */
  readonly tracks: boolean;
}

type ViewClass = new (buffer: ArrayBuffer, byteOffset: number, length?: number) => ArrayBufferView;

const CLASSES: Readonly<Record<string, ViewClass | undefined>> = {
  Int8Array,
  Uint8Array,
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
  Float16Array: (globalThis as { Float16Array?: ViewClass }).Float16Array,
};

const canResize = 'resizable' in ArrayBuffer.prototype;
const type = fc.constantFrom(...Object.keys(CLASSES).filter((name) => CLASSES[name] !== undefined));
const buffer = fc.nat(3);

/** Buffers of a graph. `room` is more than the largest element, so that a view can be seen to grow. */
export const bufferPool: fc.Arbitrary<BufferPlan[]> = fc.array(
  fc.record({
    bytes: fc.uint8Array({ maxLength: 40 }).map((bytes) => [...bytes]),
    room: canResize ? fc.option(fc.integer({ min: 8, max: 64 }), { nil: undefined, freq: 3 }) : fc.constant(undefined),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Buffers of which every view can show the whole. */
export const wholeBufferPool: fc.Arbitrary<BufferPlan[]> = fc.array(
  fc
    .uint8Array({ maxLength: 5 })
    .map((bytes) => ({ bytes: [...bytes].flatMap((byte) => new Array(8).fill(byte)), room: undefined })),
  { minLength: 1, maxLength: 4 },
);

export function makeBuffer({ bytes, room }: BufferPlan): ArrayBuffer {
  const Resizable = ArrayBuffer as new (length: number, options?: { maxByteLength: number }) => ArrayBuffer;
  const made = new Resizable(bytes.length, ...(room === undefined ? [] : [{ maxByteLength: bytes.length + room }]));
  new Uint8Array(made).set(bytes);
  return made;
}

/** Buffers and the views of them. */
export const MEMORY: readonly Kind[] = [
  kind({
    name: 'ArrayBuffer',
    weight: 2,
    plan: buffer,
    nativePlan: buffer,
    make: (number, parts) => parts.buffer(number),
  }),
  kind<ViewPlan, ArrayBufferView>({
    name: 'view',
    weight: 4,
    plan: fc.record({ type, buffer, offset: fc.nat(20), length: fc.nat(40), tracks: fc.boolean() }),
    // Natively a view brings its whole buffer. Where it shows all of it, that makes no difference.
    nativePlan: fc.record({
      type,
      buffer,
      offset: fc.constant(0),
      length: fc.constant(-1),
      tracks: fc.constant(false),
    }),
    make(plan, parts) {
      const View = CLASSES[plan.type]!;
      const size = (View as unknown as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 1;
      const shown = parts.buffer(plan.buffer) as ArrayBuffer & { resizable?: boolean };
      const elements = Math.floor(shown.byteLength / size);
      const offset = plan.offset % (elements + 1);
      const left = elements - offset;
      const length = plan.length < 0 ? left : plan.length % (left + 1);
      return new View(shown, offset * size, ...(plan.tracks && shown.resizable ? [] : [length]));
    },
  }),
];
