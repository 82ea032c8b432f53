import { type Lane, SEGMENT_BYTES } from './lane.ts';

/**
 * The time, besides a round trip, that TCP waits before it resends a lost packet if no later packet reveals the loss.
 */
const RETRANSMISSION_MS = 200;
/** The number of later packets whose arrival reveals a loss to the sender. */
const LATER_THAT_TELL = 3;

interface Segment {
  /** The bytes; `undefined` for the end of the stream. */
  readonly data: Uint8Array | undefined;
  at: number;
  /** For a lost segment, the number of segments sent after it. */
  later: number | undefined;
}

/**
 * The bytes that one side of a connection has sent and the other has not received yet. They arrive in order. A lost
 * segment arrives a round trip after the third segment behind it. If fewer than three follow, it arrives a round trip
 * and 200 ms late. All segments behind it wait.
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

  /** The number of bytes under way. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The time at which the first segment arrives; infinite if there is none. */
  get dueAt(): number {
    return this.#segments[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Sends `data`, split into segments. */
  send(data: Uint8Array, nowMs: number): void {
    for (let i = 0; i < data.length; i += SEGMENT_BYTES) this.#add(data.subarray(i, i + SEGMENT_BYTES), nowMs);
    this.#bytes += data.length;
  }

  /** Sends the end of the stream. */
  end(nowMs: number): void {
    this.#add(undefined, nowMs);
  }

  /** Removes and returns everything that has arrived. `undefined` stands for the end of the stream. */
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
