import { type RecordedFrame, recordFrames } from '@lumenize/inspect';
import type { OpenTransport } from '@lumenize/rpc';
import { type ReadonlySignal, signal } from '@preact/signals';
import { sizeOf } from '../race/traffic.ts';

/** A frame of one of this page's connections. */
export interface LoggedFrame extends Omit<RecordedFrame, 'message'> {
  /** Counts from 1, over all connections. */
  readonly number: number;
  /** Where the connection leads, such as `counter/main`. */
  readonly name: string;
  readonly size: number;
  /** Undefined where it was too large to be kept. */
  readonly message: RecordedFrame['message'] | undefined;
}

/** What is kept at most, so that a page can stay open for days: the newest. */
export const MAX_FRAMES = 500;
const MAX_BYTES = 4 * 2 ** 20;
/** Of a larger frame only its size is kept. */
export const MAX_FRAME_BYTES = 256 * 2 ** 10;
/** How often those who look are told, however many frames there are. */
const TELL_MS = 100;

/** Keeps the newest frames of many connections. */
export class FrameLog {
  readonly #frames = signal<readonly LoggedFrame[]>([]);
  #kept: LoggedFrame[] = [];
  #keptBytes = 0;
  #count = 0;
  #isTelling = false;

  /** What is kept, the oldest first. It is told of ten times a second at most. */
  get frames(): ReadonlySignal<readonly LoggedFrame[]> {
    return this.#frames;
  }

  /** Makes a wrapper of transports whose frames go into the log, under a name. */
  recorder(name: string): (open: OpenTransport) => OpenTransport {
    return recordFrames((frame) => this.add(name, frame));
  }

  add(name: string, frame: RecordedFrame): void {
    const size = sizeOf(frame.message);
    const message = size <= MAX_FRAME_BYTES ? frame.message : undefined;
    this.#kept.push({ ...frame, name, size, message, number: ++this.#count });
    this.#keptBytes += message?.length ?? 0;
    while (this.#kept.length > MAX_FRAMES || this.#keptBytes > MAX_BYTES) {
      this.#keptBytes -= this.#kept.shift()!.message?.length ?? 0;
    }
    if (this.#isTelling) return;
    this.#isTelling = true;
    setTimeout(() => {
      this.#isTelling = false;
      this.#frames.value = [...this.#kept];
    }, TELL_MS);
  }

  /** Forgets all frames. */
  clear(): void {
    this.#kept = [];
    this.#keptBytes = 0;
    this.#frames.value = [];
  }
}

/** The log of this page. */
export const frameLog = new FrameLog();
