import { RpcError } from '../../errors/rpc-error.ts';
import { malformedFrame } from '../../protocol/errors.ts';
import { readPart, splitMessage } from '../../protocol/frame-part.ts';
import type { FrameEntries } from '../../protocol/frame-reader.ts';
import { type Message, messageOf } from '../../protocol/message.ts';
import { RESENT_OVERHEAD_BYTES } from '../../protocol/resent.ts';
import { firstNumber, PART } from '../../protocol/tags.ts';
import { type WaitingHost, waitingOf } from '../../session/admission.ts';
import type { Extension, ExtensionSession, ExtensionState } from '../../session/extension.ts';

/** The session that parts arrive at. */
interface PartsSession extends WaitingHost {
  readonly isStateless: boolean;
  /** Checks a message that arrives while parts of another are to come; undefined while none are. */
  checkPart: ((message: Message) => void) | undefined;
  /** Notes that something is going on until what it returns is called. */
  busy(): () => void;
  /** Handles a message that arrived. */
  receiveMessage(message: Message): void;
}

/** Sends messages that are larger than a frame may be in parts, and takes such messages. */
export const messageParts: Extension = {
  name: 'messageParts',
  split: splitMessage,
  frames: {
    [PART]: {
      read: (frame, session: ExtensionSession & PartsSession) => session.state(MessageParts).receive(frame),
    },
  },
};

/** Puts the parts of a message together. They arrive one after the other, with no other frame between. */
export class MessageParts implements ExtensionState {
  readonly #session: PartsSession;
  /** To be called when the message is whole, or will never be. */
  #done: (() => void) | undefined;
  /** Bytes that have arrived, in order, with room for more. */
  #message: Uint8Array<ArrayBuffer> | undefined;
  #bytes = 0;
  #expected = 0;
  /** True while a message that is whole is being handled. */
  #isWhole = false;

  constructor(session: PartsSession) {
    this.#session = session;
  }

  /** Takes the next part, and with the last one has the message handled, which holds no parts: each would be a copy of all within it. */
  receive(part: FrameEntries): void {
    const session = this.#session;
    // The rest would have to come with the next request, of which this session will not know.
    if (session.isStateless) throw malformedFrame('a part of a frame, where frames come whole');
    if (this.#isWhole) throw malformedFrame('a part inside of a message in parts');
    const message = this.add(part);
    if (message === undefined) return;
    this.#isWhole = true;
    session.receiveMessage(message);
    this.#isWhole = false;
  }

  /**
   * Takes the next part; returns the message with the last one.
   * @throws {RpcError} `TOO_LARGE`, or `MALFORMED_FRAME` for a part that is not the next one
   */
  add(part: FrameEntries): Message | undefined {
    const { remaining, bytes } = readPart(part);
    if (this.#session.checkPart && remaining !== this.#expected) throw malformedFrame('a part of another message');
    this.#expected = remaining - 1;
    const length = this.#bytes + bytes.length;
    const { maxMessageBytes } = this.#session.settings.limits;
    const maxBytes = maxMessageBytes + RESENT_OVERHEAD_BYTES;
    if (length > maxBytes) throw new RpcError('TOO_LARGE', `maxMessageBytes of ${maxMessageBytes} exceeded`);
    this.#append(bytes, length, remaining === 0 ? length : Math.min(2 * length, maxBytes));
    if (remaining > 0) {
      // An object that left memory between two parts would know nothing of the first, and close the connection for the second.
      this.#done ??= this.#session.busy();
      this.#session.checkPart = checkPart;
      return undefined;
    }
    const message = messageOf(this.#message!.subarray(0, length));
    this.lost();
    return message;
  }

  /** Copies a part at once: its own memory, and what it takes to hold it, go however small it is. */
  #append(bytes: Uint8Array, length: number, room: number): void {
    const before = this.#message;
    if (before === undefined || before.length < length) {
      // Twice as much each time, so that all copies together are no more than the message; and no more than may come.
      this.#message = new Uint8Array(room);
      if (before !== undefined) this.#message.set(before.subarray(0, this.#bytes));
    }
    this.#message!.set(bytes, this.#bytes);
    waitingOf(this.#session).bytes += bytes.length;
    this.#bytes = length;
  }

  /** Lets go of what has arrived. */
  lost(): void {
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
