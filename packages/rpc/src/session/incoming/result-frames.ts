import { createEncoder, type Extension } from '@lumenize/structured-clone';
import { ResultFrame } from '../../protocol/result-writer.ts';

/** The session that a frame was lent to. */
interface Borrower {
  readonly travelling: { extend(value: object): Extension | undefined };
}

/** A frame to write results into, for as long as it takes to fill it. */
export interface LentFrame {
  readonly frame: ResultFrame;
  /** What was read of Blobs and the like that the result being written holds. */
  readonly bodies: Map<object, Uint8Array>;
  borrower: Borrower | undefined;
}

/** Frames that sessions borrow: an object that is new or has just woken finds code and memory that is warm. */
export class ResultFrames {
  readonly #idle: LentFrame[] = [];
  readonly #options: ResultFramesOptions;

  constructor(options: ResultFramesOptions) {
    this.#options = options;
  }

  take(borrower: Borrower): LentFrame {
    const lent = this.#idle.pop() ?? this.#make();
    lent.borrower = borrower;
    return lent;
  }

  /** Takes back a frame whose bytes have been taken. */
  give(lent: LentFrame): void {
    lent.borrower = undefined;
    if (this.#idle.length < MAX_IDLE) this.#idle.push(lent);
  }

  #make(): LentFrame {
    const { reversed, errorStacks, maxMessageBytes } = this.#options;
    const bodies = new Map<object, Uint8Array>();
    const encoder = createEncoder({
      errorStacks,
      bodies,
      limits: { maxBytes: maxMessageBytes },
      extend: (value) => lent.borrower?.travelling.extend(value),
    });
    const lent: LentFrame = { frame: new ResultFrame(encoder, reversed), bodies, borrower: undefined };
    return lent;
  }
}

interface ResultFramesOptions {
  /** Whether results are not what frames of this direction mostly hold. */
  reversed: boolean;
  errorStacks: boolean;
  maxMessageBytes: number;
}

/** More open frames than this at once are rare, and each keeps its buffer. */
const MAX_IDLE = 16;
