import { RpcError } from '../../errors/rpc-error.ts';
import { CLOSE_TRY_LATER } from '../../protocol/close-codes.ts';
import { nextTurn } from '../../session/incoming/turns.ts';
import type { Waiting } from '../../session/waiting.ts';

/** What a frame that waits takes beside its bytes, at most. */
const OVERHEAD_BYTES = 512;

/** What holding frames back needs of its session. */
export interface HoldingHost {
  readonly waiting: Waiting;
  /** Whether frames have to wait. */
  readonly isHeldUp: boolean;
  /** Whether the connection has ended. */
  readonly isOver: boolean;
  /** Notes that something is going on, until what it returns is called. */
  busy(): () => void;
  /** Handles a frame that had to wait. */
  receive(bytes: Uint8Array): void;
  /** Ends the connection. */
  close(code: number, error: RpcError): void;
  onRefused(error: RpcError, what: string | undefined): void;
}

/** Frames that have arrived and may not be handled yet, in order. */
export class HeldFrames {
  readonly #host: HoldingHost;
  readonly #frames: Uint8Array[] = [];
  #isReleasing = false;

  constructor(host: HoldingHost) {
    this.#host = host;
  }

  /** Has a frame wait, and ends the connection where too much does. */
  hold(bytes: Uint8Array): void {
    const { waiting } = this.#host;
    const size = bytes.length + OVERHEAD_BYTES;
    if (waiting.fits(size)) {
      waiting.bytes += size;
      this.#frames.push(bytes);
      return;
    }
    const error = new RpcError('OVERLOADED', `maxBytesInFlight of ${waiting.max} exceeded by waiting`);
    this.#host.onRefused(error, undefined);
    this.#host.close(CLOSE_TRY_LATER, error);
  }

  /** Whether some of it is handled and some waits: what arrives then comes behind. */
  get isReleasing(): boolean {
    return this.#isReleasing;
  }

  /** Handles what has waited, each frame in a turn of its own, until it has to wait again. */
  async release(): Promise<void> {
    if (this.#frames.length === 0 || this.#isReleasing) return;
    const host = this.#host;
    const done = host.busy();
    while (this.#frames.length > 0 && !host.isHeldUp && !host.isOver) {
      const bytes = this.#frames.shift()!;
      host.waiting.bytes -= bytes.length + OVERHEAD_BYTES;
      host.receive(bytes);
      if (this.#frames.at(-1) === bytes) {
        // It has to wait on, before all that came after it.
        this.#frames.unshift(this.#frames.pop()!);
        break;
      }
      if (this.#frames.length === 0) break;
      this.#isReleasing = true;
      await nextTurn();
      this.#isReleasing = false;
    }
    done();
  }
}
