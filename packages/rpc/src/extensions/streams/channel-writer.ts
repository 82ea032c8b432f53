import { type ChannelSignal, isBytes } from '../../protocol/channel.ts';
import { costOf, FrameWriter, FULL_SIZE } from '../../protocol/frame-writer.ts';
import { CHANNELS } from '../../protocol/tags.ts';
import { outgoingFrame } from '../../session/outgoing/call.ts';
import type { Session } from '../../session/session.ts';
import { next } from '../../session/timer.ts';
import { extend, written } from '../../session/travelling.ts';

/** Number of microtasks that a frame waits for more signals. A ready chunk needs a few to leave its stream. */
const PATIENCE = 8;

/** Writes channel signals into frames. Signals that are written shortly after each other share a frame. */
export class ChannelWriter {
  /** Bytes read from Blobs and the like in the chunk that is being written. */
  readonly bodies = new Map<object, Uint8Array>();
  readonly #peer: Session;
  readonly #writer: FrameWriter;
  #patience = 0;

  constructor(peer: Session) {
    this.#peer = peer;
    const { errorStacks, writing } = peer.settings;
    this.#writer = new FrameWriter(writing, {
      extend: (value) => extend(peer, value),
      bodies: this.bodies,
      errorStacks,
    });
  }

  /**
   * Appends a signal and returns its cost: its approximate memory in bytes, which the reader counts in the same way.
   * @throws {CloneError | RpcError} if its content cannot be sent; the frame is unchanged
   */
  write(signal: ChannelSignal): number {
    const writer = this.#writer;
    const [, , chunk] = signal;
    // The signal may be about a channel that was opened by a call or result that is not sent yet.
    this.#peer.flushOthers();
    if (writer.size > 0 && isBytes(chunk) && writer.size + chunk.byteLength > FULL_SIZE) this.flush();
    const { bytes } = writer;
    let text: string | undefined;
    try {
      text = writer.write(signal);
    } finally {
      written(this.#peer, text !== undefined);
    }
    const cost = costOf(text, writer.weight, writer.bytes - bytes);
    if (writer.size > FULL_SIZE) this.flush();
    else {
      if (this.#patience === 0) next(this.#wait);
      this.#patience = PATIENCE;
    }
    return cost;
  }

  /** Sends the signals that have been written. */
  flush(): void {
    if (this.#writer.size > 0) this.#peer.sendCalls(outgoingFrame(0, 0, undefined, this.#writer.finish(CHANNELS)));
  }

  /** Drops the signals that have been written, because the connection is gone. */
  clear(): void {
    this.#writer.finish();
  }

  readonly #wait = (): void => {
    if (this.#writer.size === 0) this.#patience = 0;
    else if (--this.#patience > 0) next(this.#wait);
    else this.flush();
  };
}
