import { createEncoder } from '@lumenize/structured-clone';
import { readId } from './extension.ts';
import { PART } from './frame-kind.ts';
import { malformedFrame } from './malformed.ts';
import { binaryForm, type Message } from './message.ts';

/** What a part says beside its bytes takes at most this many. */
const PART_HEAD = 32;

/** Cuts a message that is larger than a frame may be into frames that each hold a part. */
export function* splitMessage(message: Message, maxFrameBytes: number): Generator<Uint8Array<ArrayBuffer>> {
  const size = maxFrameBytes - PART_HEAD;
  const bytes = binaryForm(message);
  const count = Math.ceil(bytes.length / size);
  for (let place = 0; place < count; place++) {
    const encoder = createEncoder();
    encoder.write(PART);
    encoder.write(count - place - 1);
    encoder.write(bytes.subarray(place * size, (place + 1) * size));
    yield encoder.finish();
  }
}

/** A part of a larger frame. */
export interface FramePart {
  readonly kind: 'part';
  /** How many parts are still to come. */
  readonly remaining: number;
  readonly bytes: Uint8Array;
}

/** Checks what follows the kind of a frame that holds a part. */
export function readPart([remaining, bytes, ...rest]: unknown[]): FramePart {
  if (!(bytes instanceof Uint8Array) || bytes.length === 0 || rest.length > 0)
    throw malformedFrame('a part without bytes');
  return { kind: 'part', remaining: readId(remaining), bytes };
}
