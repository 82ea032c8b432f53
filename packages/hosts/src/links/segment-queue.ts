import { type Lane, SEGMENT_BYTES } from './lane.ts';

/** Time that TCP waits before it sends a lost packet again of which nothing tells it, beside a round trip. */
const RETRANSMISSION_MS = 200;
/** Number of later packets that tell the sender of the loss when they arrive. */
const LATER_THAT_TELL = 3;

interface Segment {
  /** `undefined` for the end of the stream. */
  readonly data: Uint8Array | undefined;
  at: number;
  /** Of a lost segment, how many that were sent after it. */
  later: number | undefined;
}

/**
 * Bytes that one side of a connection has sent and the other does not have yet. It comes out in the order in which it went in:
 * a lost segment is there a round trip after the third one behind it has arrived, or a round trip and 200 ms later than
 * it would have been where fewer follow, and all behind it wait.
 */
export class SegmentQueue {
  readonly #lane: Lane;
  readonly #rttMs: number;
  readonly #segments: Segment[] = [];
  #bytes = 0;

  constructor(lane: Lane, rttMs: number) {
    this.#lane = lane;
    this.#rttMs = rttMs;
  }

  /** Bytes that are under way. */
  get bytes(): number {
    return this.#bytes;
  }

  /** When the first of them is to be taken; infinite where there are none. */
  get dueAt(): number {
    return this.#segments[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Sends `data`, in as many segments as it fills. */
  send(data: Uint8Array, nowMs: number): void {
    for (let i = 0; i < data.length; i += SEGMENT_BYTES) this.#add(data.subarray(i, i + SEGMENT_BYTES), nowMs);
    this.#bytes += data.length;
  }

  /** Sends the end of the stream. */
  end(nowMs: number): void {
    this.#add(undefined, nowMs);
  }

  /** Takes out what has arrived; `undefined` in it is the end of the stream. */
  take(nowMs: number): (Uint8Array | undefined)[] {
    const arrived: (Uint8Array | undefined)[] = [];
    while (this.dueAt <= nowMs) {
      const { data } = this.#segments.shift()!;
      this.#bytes -= data?.length ?? 0;
      arrived.push(data);
    }
    return arrived;
  }

  #add(data: Uint8Array | undefined, nowMs: number): void {
    const { arrivesAt, lost } = this.#lane.send(data?.length ?? 0, nowMs);
    for (const segment of this.#segments) {
      if (segment.later === undefined) continue;
      if (++segment.later === LATER_THAT_TELL) segment.at = Math.min(segment.at, arrivesAt + this.#rttMs);
    }
    const at = lost ? arrivesAt + this.#rttMs + RETRANSMISSION_MS : arrivesAt;
    this.#segments.push({ data, at, later: lost ? 0 : undefined });
  }
}
