import { RpcError } from '../errors/rpc-error.ts';
import { countedBytes } from '../protocol/message.ts';
import { MAX_EARLY_BYTES } from '../protocol/version.ts';
import { type OutgoingFrame, takeBackPassed } from '../session/outgoing/call.ts';
import type { CallTable } from '../session/outgoing/call-table.ts';
import { refuse } from './refusals.ts';

/** A frame that is to be sent now that it can be. */
export interface DueFrame {
  readonly frame: OutgoingFrame;
  /** The places of the calls to be made where it is not sent as it is: it was sent before, or not all of it is wanted. */
  readonly places: readonly number[] | undefined;
}

/** The frames of a client that are not under way: those that wait to be sent, and those whose connection was lost after they had been. */
export class Backlog {
  readonly #table: () => CallTable;
  readonly #maxBytes: number;
  /** In the order in which they are to be sent. */
  frames: OutgoingFrame[] = [];
  #bytes = 0;

  constructor(table: () => CallTable, maxBytes: number) {
    this.#table = table;
    this.#maxBytes = maxBytes;
  }

  /** Adds a frame to those that wait; where they are too many bytes its calls reject, and it is not. */
  add(frame: OutgoingFrame): boolean {
    const bytes = this.#bytes + countedBytes(frame.message!, this.#maxBytes, this.#bytes);
    // Signals are bounded by what they are about, and without them it would break.
    if (bytes > this.#maxBytes && frame.answered > 0) {
      const message = `not sent: ${this.#maxBytes} bytes (maxQueuedBytes) of calls wait for a connection`;
      refuse(() => this.#table().reject(frame, new RpcError('OVERLOADED', message)));
      return false;
    }
    this.#bytes = bytes;
    this.frames.push(frame);
    return true;
  }

  /** The frame that would be sent first, where it is small, and was never sent, and all of it is wanted. */
  early(): OutgoingFrame | undefined {
    const [frame] = this.frames;
    const isWhole = frame !== undefined && this.#table().byFrame().get(frame)?.length === frame.answered;
    return isWhole && !frame.isBound && countedBytes(frame.message!, MAX_EARLY_BYTES) <= MAX_EARLY_BYTES
      ? frame
      : undefined;
  }

  /** Takes out all that is to be sent, in the order in which it was called. */
  *take(): Generator<DueFrame> {
    const unsettled = this.#table().byFrame();
    const frames = this.frames;
    this.clear();
    for (const frame of frames) {
      const places = unsettled.get(frame) ?? [];
      const { answered, isBound, life, sent } = frame;
      // What was given up while it waited is not to run, and not what was about an earlier connection.
      if (places.length === 0 && answered > 0) takeBackPassed(frame);
      else {
        const isPart = isBound ? life.lost : places.length !== answered;
        yield { frame, places: sent || isPart ? places : undefined };
      }
    }
  }

  clear(): void {
    this.frames = [];
    this.#bytes = 0;
  }
}
