import { type ChannelSignal, isBytes } from '../../protocol/channel.ts';
import { costOf, FrameWriter, FULL_SIZE } from '../../protocol/frame-writer.ts';
import { CHANNELS } from '../../protocol/tags.ts';
import { outgoingFrame } from '../../session/outgoing/call.ts';
import type { Peer } from '../../session/peer.ts';
import { next } from '../../session/timer.ts';

/** Number of jobs that a frame waits for more: a chunk that is there already takes a few to come out of its stream. */
const PATIENCE = 8;

/** Writes signals of channels into frames: those that come shortly one after the other share one. */
export class ChannelWriter {
  /** Bytes read from the Blobs and the like in the chunk being written. */
  readonly bodies = new Map<object, Uint8Array>();
  readonly #peer: Peer;
  readonly #writer: FrameWriter;
  #patience = 0;

  constructor(peer: Peer) {
    this.#peer = peer;
    const { errorStacks, writing } = peer.settings;
    const extend = (value: object) => peer.travelling.extend(value);
    this.#writer = new FrameWriter(writing, { extend, bodies: this.bodies, errorStacks });
  }

  /**
   * Appends a signal and returns what it costs: bytes of memory, about, as its reader counts them.
   * @throws {CloneError | RpcError} where its content cannot be sent; the frame is as it was
   */
  write(signal: ChannelSignal): number {
    const writer = this.#writer;
    const [, , chunk] = signal;
    // What is written now may be about what they have opened.
    this.#peer.flushOthers();
    if (writer.size > 0 && isBytes(chunk) && writer.size + chunk.byteLength > FULL_SIZE) this.flush();
    const { bytes } = writer;
    let text: string | undefined;
    try {
      text = writer.write(signal);
    } finally {
      this.#peer.openTravelling?.written(text !== undefined);
    }
    const cost = costOf(text, writer.weight, writer.bytes - bytes);
    if (writer.size > FULL_SIZE) this.flush();
    else {
      if (this.#patience === 0) next(this.#wait);
      this.#patience = PATIENCE;
    }
    return cost;
  }

  /** Sends what has been written. */
  flush(): void {
    if (this.#writer.size > 0) this.#peer.sendCalls(outgoingFrame(0, 0, undefined, this.#writer.finish(CHANNELS)));
  }

  /** Drops what has been written: the connection is gone. */
  clear(): void {
    this.#writer.finish();
  }

  readonly #wait = (): void => {
    if (this.#writer.size === 0) this.#patience = 0;
    else if (--this.#patience > 0) next(this.#wait);
    else this.flush();
  };
}
