import { exceeded, malformedFrame } from '../../protocol/errors.ts';
import { readPart, splitMessage } from '../../protocol/frame-part.ts';
import type { FrameEntries } from '../../protocol/frame-reader.ts';
import { type Message, messageOf } from '../../protocol/message.ts';
import { RESENT_OVERHEAD_BYTES } from '../../protocol/resent.ts';
import { firstNumber, PART } from '../../protocol/tags.ts';
import { waitingOf } from '../../session/admission.ts';
import type { Extension, ExtensionState } from '../../session/extension.ts';
import type { Session } from '../../session/session.ts';

/** Splits messages that are too large for one frame into parts, and joins the parts that arrive. */
export const messageParts: Extension = {
  name: 'messageParts',
  split: splitMessage,
  frames: {
    [PART]: { read: (frame, session: Session) => session.state(MessageParts).receive(frame) },
  },
};

/** Joins the parts of a message. They arrive one after the other, with no other frame between them. */
export class MessageParts implements ExtensionState {
  readonly #session: Session;
  /** Called when the message is complete or will never be; ends the busy state. */
  #done: (() => void) | undefined;
  /** The bytes that have arrived, in order, with room for more. */
  #message: Uint8Array<ArrayBuffer> | undefined;
  #bytes = 0;
  #expected = 0;
  /** True while a complete message is being handled. */
  #isWhole = false;

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Adds the next part. After the last part, handles the message, which may contain no parts itself: each would be a
   * copy of everything in it.
   */
  receive(part: FrameEntries): void {
    const session = this.#session;
    // The rest would arrive with the next request, which this session does not see.
    if (session.isStateless) throw malformedFrame('a part of a frame, where frames come whole');
    if (this.#isWhole) throw malformedFrame('a part inside of a message in parts');
    const message = this.add(part);
    if (message === undefined) return;
    this.#isWhole = true;
    session.receiveMessage(message);
    this.#isWhole = false;
  }

  /**
   * Adds the next part. Returns the message after the last part, and undefined before.
   * @throws {RpcError} `TOO_LARGE`, or `MALFORMED_FRAME` for a part that is not the next one
   */
  add(part: FrameEntries): Message | undefined {
    const { remaining, bytes } = readPart(part);
    if (this.#session.checkPart && remaining !== this.#expected) throw malformedFrame('a part of another message');
    this.#expected = remaining - 1;
    const length = this.#bytes + bytes.length;
    const { limits } = this.#session.settings;
    const maxBytes = limits.maxMessageBytes + RESENT_OVERHEAD_BYTES;
    if (length > maxBytes) throw exceeded('maxMessageBytes', limits, '', 'TOO_LARGE');
    this.#append(bytes, length, remaining === 0 ? length : Math.min(2 * length, maxBytes));
    if (remaining > 0) {
      // Keeps the object awake. An object that left memory between two parts would have lost the first, and would close
      // the connection for the second.
      this.#done ??= this.#session.busy?.();
      this.#session.checkPart = checkPart;
      return undefined;
    }
    const message = messageOf(this.#message!.subarray(0, length));
    this.#clear();
    return message;
  }

  /**
   * Copies a part at once. This frees the memory of the part and of the objects around it, however small the part is.
   */
  #append(bytes: Uint8Array, length: number, room: number): void {
    const before = this.#message;
    if (before === undefined || before.length < length) {
      // Doubles the size each time, so that all copies together are no larger than the message. Never allocates more
      // than may arrive.
      this.#message = new Uint8Array(room);
      if (before !== undefined) this.#message.set(before.subarray(0, this.#bytes));
    }
    this.#message!.set(bytes, this.#bytes);
    waitingOf(this.#session).bytes += bytes.length;
    this.#bytes = length;
  }

  /** Drops the parts that have arrived, because the others never will. */
  lost(): void {
    this.#clear();
  }

  #clear(): void {
    this.#message = undefined;
    this.#session.checkPart = undefined;
    waitingOf(this.#session).bytes -= this.#bytes;
    this.#bytes = 0;
    this.#done?.();
    this.#done = undefined;
  }
}

function checkPart(message: Message): void {
  if (firstNumber(message) !== PART) throw malformedFrame('a frame between the parts of another');
}
