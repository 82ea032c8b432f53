import { PART } from '../protocol/frame-kind.ts';
import { createOwnEncoder } from '../protocol/own-encoder.ts';

/** What a part says beside its bytes takes at most this many. */
const PART_HEAD = 32;

/** Cuts a message that is larger than a frame may be into frames that each hold a part. */
export function* splitMessage(message: Uint8Array, maxFrameBytes: number): Generator<Uint8Array<ArrayBuffer>> {
  const size = maxFrameBytes - PART_HEAD;
  const count = Math.ceil(message.length / size);
  for (let place = 0; place < count; place++) {
    const encoder = createOwnEncoder();
    encoder.write(PART);
    encoder.write(count - place - 1);
    encoder.write(message.subarray(place * size, (place + 1) * size));
    yield encoder.finish();
  }
}
