import type { Extension } from '@lumenize/structured-clone';
import { type ChannelSignal, isBytes } from '../../protocol/channel.ts';
import { costOf, FrameWriter, FULL_SIZE } from '../../protocol/frame-writer.ts';
import { CHANNELS } from '../../protocol/tags.ts';
import { type OutgoingFrame, outgoingFrame, type Passing } from '../outgoing/call.ts';
import type { SessionSettings } from '../settings.ts';
import { next } from '../timer.ts';

/** How many jobs a frame waits for more: a chunk that is there already takes a few to come out of its stream. */
const PATIENCE = 8;

/** What writing frames of channels needs of its session. */
export interface ChannelWriterHost {
  readonly settings: Pick<SessionSettings, 'errorStacks' | 'writing'>;
  readonly travelling: { extend(value: object): Extension | undefined };
  readonly openTravelling: Passing | undefined;
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
  readonly #writer: FrameWriter;
  #patience = 0;

  constructor(host: ChannelWriterHost) {
    this.#host = host;
    const { errorStacks, writing } = host.settings;
    const extend = (value: object) => host.travelling.extend(value);
    this.#writer = new FrameWriter(writing, { extend, bodies: this.bodies, errorStacks });
  }

  /**
   * Appends a signal and returns what it costs: bytes of memory, about, as its reader counts them.
   * @throws {CloneError | RpcError} where its content cannot be sent; the frame is as it was
   */
  write(signal: ChannelSignal): number {
    const writer = this.#writer;
    this.#host.flushOthers();
    if (writer.size > 0 && writer.size + lengthOf(signal[2]) > FULL_SIZE) this.flush();
    const { bytes } = writer;
    let text: string;
    try {
      text = writer.write(signal);
      this.#host.openTravelling?.written(true);
    } catch (error) {
      this.#host.openTravelling?.written(false);
      throw error;
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
    if (this.#writer.size > 0) this.#host.sendCalls(outgoingFrame(0, 0, undefined, this.#writer.finish(CHANNELS)));
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

/** What a chunk adds to a frame, at least. */
function lengthOf(chunk: unknown): number {
  return isBytes(chunk) ? chunk.byteLength : 0;
}
