import { fromMessage, toMessage } from '@lumenize/structured-clone/messages';
import type { Message } from '../types/message.ts';

/** The content type of batches. */
export const BATCH_TYPE = 'application/x-lumenize-rpc; version=3';

/** The content type of a response that refuses a batch. Its text has the form of a close reason. */
export const REFUSAL_TYPE = 'text/x-lumenize-rpc';

/** The least first byte of a text. That of bytes is smaller: they begin with the length of their text. */
const FIRST_OF_TEXT = 0x30;

/**
 * Writes a batch: the messages of one side, a line each. The bytes of their values are behind the text. A message that
 * has some begins with their number.
 */
export function writeBatch(messages: readonly Message[]): Message {
  const tails: Uint8Array[] = [];
  const lines = messages.map((message) => {
    const { text, tail } = fromMessage(message);
    return tail === undefined ? text : tails.push(tail) && tail.length + text;
  });
  return toMessage(lines.join('\n'), tails);
}

/**
 * Reads the messages of a batch, one after the other: a body of a megabyte may be a million lines.
 * @throws {Error} if it is malformed
 */
export function* readBatch(body: Uint8Array): Generator<Message, void> {
  if (body.length === 0) return;
  const { text, tail } =
    body[0] >= FIRST_OF_TEXT
      ? { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body) }
      : fromMessage(body);
  let at = 0;
  for (let from = 0, to = 0; to >= 0; from = to + 1) {
    to = text.indexOf('\n', from);
    const line = text.slice(from, to < 0 ? undefined : to);
    const bytes = Number.parseInt(line, 10);
    if (bytes >= 0) {
      yield toMessage(line.slice(`${bytes}`.length), [tail!.subarray(at, at + bytes)]);
      at += bytes;
    } else yield line;
  }
}

/** Returns the id of the first call of a message; NaN if it is a signal. */
export function firstIdOf(message: string | Uint8Array): number {
  const text = typeof message === 'string' ? message : new TextDecoder().decode(message.subarray(4, 24));
  return Number.parseInt(text.slice(1), 10);
}
