import type { Encoder, Extension } from '@lumenize/structured-clone';
import { type ChannelSignal, isBytes } from '../../protocol/channel.ts';
import { CHANNELS } from '../../protocol/frame-kind.ts';
import { newFrame, type OutgoingFrame } from '../outgoing/call.ts';
import type { SessionSettings } from '../settings.ts';
import { FULL_BYTES, next } from '../turn.ts';

/** How many jobs a frame waits for more: a chunk that is there already takes a few to come out of its stream. */
const PATIENCE = 8;

/** What writing frames of channels needs of its session. */
export interface ChannelWriterHost {
  readonly settings: Pick<SessionSettings, 'createCallEncoder'>;
  readonly travelling: { extend(value: object): Extension | undefined };
  /** Told after a signal was written, or failed to be: what was made for it counts, or is taken back. */
  written(kept: boolean): void;
  /** Sends the calls and results that have been written before: what is written now may be about what they have opened. */
  flushOthers(): void;
  /** Sends a frame, as soon as it can be. */
  sendCalls(frame: OutgoingFrame): void;
}

/** Writes signals of channels into frames: those that come shortly one after the other share one. */
export class ChannelWriter {
  /** What was read of Blobs and the like that the chunk being written holds. */
  readonly bodies = new Map<object, Uint8Array>();
  readonly #host: ChannelWriterHost;
  readonly #encoder: Encoder;
  #isEmpty = true;
  /** What has been written into the frame costs. */
  #cost = 0;
  #patience = 0;

  constructor(host: ChannelWriterHost) {
    this.#host = host;
    this.#encoder = host.settings.createCallEncoder((value) => host.travelling.extend(value), this.bodies);
  }

  /**
   * Appends a signal and returns what it costs: bytes of memory, about, as its reader counts them.
   * @throws {CloneError | RpcError} where its content cannot be sent; the frame is as it was
   */
  write(signal: ChannelSignal): number {
    const encoder = this.#encoder;
    this.#host.flushOthers();
    if (!this.#isEmpty && encoder.size + lengthOf(signal[2]) > FULL_BYTES) this.flush();
    if (this.#isEmpty) {
      this.#isEmpty = false;
      encoder.write(CHANNELS);
      this.#cost = encoder.cost;
    }
    try {
      encoder.write(signal);
      this.#host.written(true);
    } catch (error) {
      this.#host.written(false);
      throw error;
    }
    // Not since before it was written: what was taken back has left something for which the next one pays.
    const cost = encoder.cost - this.#cost;
    this.#cost = encoder.cost;
    if (encoder.size > FULL_BYTES) this.flush();
    else {
      if (this.#patience === 0) next(this.#wait);
      this.#patience = PATIENCE;
    }
    return cost;
  }

  /** Sends what has been written. */
  flush(): void {
    if (this.#isEmpty) return;
    this.#isEmpty = true;
    this.#host.sendCalls(newFrame(0, { lost: false }, this.#encoder.finish()));
  }

  /** Drops what has been written: the connection is gone. */
  clear(): void {
    this.#isEmpty = true;
    this.#encoder.finish();
  }

  readonly #wait = (): void => {
    if (this.#isEmpty) this.#patience = 0;
    else if (--this.#patience > 0) next(this.#wait);
    else this.flush();
  };
}

/** What a chunk adds to a frame, at least. */
function lengthOf(chunk: unknown): number {
  return isBytes(chunk) ? chunk.byteLength : 0;
}
