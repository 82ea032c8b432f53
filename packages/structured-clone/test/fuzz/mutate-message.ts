import { fromMessage, toMessage } from '@lumenize/structured-clone/messages';
import { mutateText } from './mutate-text.ts';
import type { Random } from './random.ts';

/** Damages a message: mostly its text, as text is damaged, else the bytes behind it, or any of all. */
export function mutateMessage(messages: readonly Uint8Array[], random: Random): Uint8Array {
  const message = random.pick(messages);
  const other = fromMessage(random.pick(messages));
  const { text, tail = new Uint8Array() } = fromMessage(message);
  switch (random.below(6)) {
    case 0:
      return messageOf(text, tail.subarray(0, random.below(tail.length + 1)));
    case 1:
      return messageOf(text, other.tail ?? tail);
    case 2:
      return message.slice(0, random.below(message.length + 1));
    case 3: {
      const damaged = message.slice();
      damaged[random.below(message.length)] = random.below(256);
      return damaged;
    }
    default:
      // Bytes alone have no text.
      return messageOf(mutateText([text || 'null', other.text || 'null'], random), tail);
  }
}

/** Puts parts together, also where there are no bytes, of which an encoder would make a text. */
export function messageOf(text: string, tail: Uint8Array): Uint8Array {
  return toMessage(text, [tail]) as Uint8Array;
}
