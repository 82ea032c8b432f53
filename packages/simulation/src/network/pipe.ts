import type { Scheduler } from '../scheduler/scheduler.ts';

interface Packet {
  /** When the packet arrives, unless it is held back. */
  readonly due: number;
  readonly bytes: number;
  readonly deliver: () => void;
}

/** One direction of a connection. Bytes arrive in order, some time after they were sent, or not at all. */
export class Pipe {
  readonly #name: string;
  readonly #scheduler: Scheduler;
  readonly #delay: () => number;
  #packets: Packet[] = [];
  #lastDue = 0;
  #frozenUntil = 0;
  #isWaiting = false;
  #isCut = false;
  #whenCut: () => void = () => {};
  /** The number of bytes that still arrive, and the function to call then. */
  #left: { bytes: number; over: () => void } | undefined;

  constructor(name: string, scheduler: Scheduler, delay: () => number) {
    this.#name = name;
    this.#scheduler = scheduler;
    this.#delay = delay;
  }

  get isEmpty(): boolean {
    return this.#packets.length === 0;
  }

  /** Sends `bytes` bytes. `deliver` is called when all of them have arrived. */
  send(bytes: number, deliver: () => void): void {
    if (this.#isCut) return;
    this.#lastDue = Math.max(this.#lastDue, this.#scheduler.now + this.#delay());
    this.#packets.push({ due: this.#lastDue, bytes, deliver });
    this.#wait();
  }

  /** Holds everything back for a time. */
  freeze(ms: number): void {
    this.#frozenUntil = Math.max(this.#frozenUntil, this.#scheduler.now + ms);
  }

  thaw(): void {
    this.#frozenUntil = 0;
  }

  /** Lets `bytes` more bytes arrive, and then calls `over`. */
  cutAfter(bytes: number, over: () => void): void {
    this.#left = { bytes, over };
  }

  /** Sets the function to call when the pipe is cut. */
  onCut(job: () => void): void {
    this.#whenCut = job;
  }

  /** Stops accepting data. Drops everything under way, except the first `kept` packets. */
  cut(kept = 0): void {
    if (!this.#isCut) this.#whenCut();
    this.#isCut = true;
    this.#packets.length = Math.min(kept, this.#packets.length);
  }

  get packets(): number {
    return this.#packets.length;
  }

  #wait(): void {
    if (this.#isWaiting || this.#packets.length === 0) return;
    this.#isWaiting = true;
    const at = Math.max(this.#packets[0].due, this.#frozenUntil);
    this.#scheduler.after(at - this.#scheduler.now, this.#name, 'arrive', () => {
      this.#isWaiting = false;
      const isEarly = this.#frozenUntil > this.#scheduler.now;
      const packet = isEarly ? undefined : this.#packets.shift();
      this.#wait();
      if (packet !== undefined) this.#arrive(packet);
    });
  }

  #arrive({ bytes, deliver }: Packet): void {
    const left = this.#left;
    if (left === undefined) return deliver();
    left.bytes -= bytes;
    if (left.bytes >= 0) deliver();
    if (left.bytes > 0) return;
    this.#left = undefined;
    // Bytes after lost bytes do not arrive either.
    this.cut();
    left.over();
  }
}

/** Returns the size of a message as a WebSocket frame. Frames of clients are masked. */
export function frameBytes(length: number, isMasked: boolean): number {
  const header = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  return header + (isMasked ? 4 : 0) + length;
}
