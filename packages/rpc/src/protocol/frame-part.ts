import { toMessage } from '@lumenize/structured-clone/messages';
import { malformedFrame } from './errors.ts';
import type { FrameEntries } from './frame-reader.ts';
import { bytesOf, type Message } from './message.ts';
import { PART, readId } from './tags.ts';

/** Largest number of bytes that a part takes in addition to its content. */
const PART_HEAD = 32;

/**
 * Splits a message that is larger than a frame may be into frames. Each frame holds a part of the bytes behind its
 * text.
 */
export function* splitMessage(message: Message, maxFrameBytes: number): Generator<Message> {
  const size = Math.max(1, maxFrameBytes - PART_HEAD);
  const bytes = bytesOf(message);
  const count = Math.ceil(bytes.length / size);
  for (let place = 0; place < count; place++) {
    const part = bytes.subarray(place * size, (place + 1) * size);
    yield toMessage(`[${PART},${count - place - 1}]`, [part]);
  }
}

/** Checks a frame that holds a part of a larger message. Returns the number of parts still to come, and its bytes. */
export function readPart({ entries: [, remaining, ...rest], tail }: FrameEntries) {
  if (tail === undefined || tail.length === 0 || rest.length > 0) throw malformedFrame('a part without bytes');
  return { remaining: readId(remaining), bytes: tail };
}
