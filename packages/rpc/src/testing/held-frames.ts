import type { Direction } from '../inspect/frame-description.ts';

/** Something on its way over a test network: a frame, or without `frame` a sign of life or an end, which keeps its place among them. */
export interface InTransit {
  readonly direction: Direction;
  readonly frame?: Uint8Array | undefined;
  deliver(): void;
}

/** Frames that a test network holds back, until they are let go. Disposing lets all go. */
export class HeldFrames implements Disposable {
  readonly #direction: Direction | undefined;
  readonly #pass: (item: InTransit) => void;
  readonly #ended: () => void;
  #held: InTransit[] = [];
  #isOver = false;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  /** `pass` takes what is let go; `ended` is called when all is, and no more is held. @internal */
  constructor(direction: Direction | undefined, pass: (item: InTransit) => void, ended: () => void) {
    this.#direction = direction;
    this.#pass = pass;
    this.#ended = ended;
  }

  /** The frames that wait, the oldest first. */
  get frames(): readonly { readonly direction: Direction; readonly bytes: Uint8Array }[] {
    return this.#held.flatMap(({ direction, frame }) => (frame === undefined ? [] : [{ direction, bytes: frame }]));
  }

  /** Resolves when so many frames wait. */
  async caught(count = 1): Promise<void> {
    if (this.frames.length >= count) return;
    await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }

  /** Lets the oldest frames go, and goes on holding back others; without a number all, and ends. */
  release(count?: number): void {
    if (this.#isOver) return;
    this.#isOver = count === undefined;
    for (let left = count ?? Number.POSITIVE_INFINITY; this.#held.length > 0; ) {
      // What is no frame goes with those before it.
      if (this.#held[0].frame !== undefined && left-- === 0) break;
      this.#pass(this.#held.shift()!);
    }
    if (this.#isOver) this.#ended();
  }

  [Symbol.dispose](): void {
    this.release();
  }

  /** Takes what is sent where it is to be held back, and says whether it is. @internal */
  take(item: InTransit): boolean {
    if (this.#direction !== undefined && item.direction !== this.#direction) return false;
    this.#held.push(item);
    const { length } = this.frames;
    this.#waiting = this.#waiting.filter(({ count, resolve }) => {
      if (length < count) return true;
      resolve();
      return false;
    });
    return true;
  }
}
