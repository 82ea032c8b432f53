import type { Message } from '@lumenize/rpc';
import { createDecoder, createEncoder } from '@lumenize/structured-clone';

/** Stands for an extension in what `sequence` encodes. */
export class Extended {
  readonly kind: number;
  readonly payload: unknown;

  constructor(kind: number, payload: unknown) {
    this.kind = kind;
    this.payload = payload;
  }
}

/** Encodes a frame of values that a client of the library may never send. */
export function sequence(...values: unknown[]): Uint8Array<ArrayBuffer> {
  const encoder = createEncoder({ extend: (value) => value as Extended });
  for (const value of values) encoder.write(value);
  return encoder.finish();
}

/** The values of a frame; what is no value comes as its kind and payload. */
export function valuesOf(frame: Message): unknown[] {
  if (typeof frame === 'string') throw new TypeError('frames of values are bytes');
  const values: unknown[] = [];
  createDecoder({ revive: (kind, payload) => ({ kind, payload }) })(frame, (value) => values.push(value));
  return values;
}

/** The number that a frame begins with: the id of its first call or result, or what kind of frame it is. */
export function kindOf(frame: Message): unknown {
  return valuesOf(frame)[0];
}
