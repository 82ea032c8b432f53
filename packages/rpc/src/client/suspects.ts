import { RpcError } from '../errors/rpc-error.ts';
import type { OutgoingFrame } from '../session/outgoing/call.ts';
import type { CallTable } from '../session/outgoing/call-table.ts';
import { Timer } from '../session/timer.ts';

/** A call rejects when its connections were lost so often. */
const MAX_LOSSES = 5;
/** A frame is suspected of being why its connections are lost when so many were. */
export const SUSPECT_LOSSES = 2;
/** A suspected frame's calls are sent in so many groups. Of 4096, the most there are, each is alone before it is lost for the last time. */
const GROUPS = 16;
/** Between two groups at most, in milliseconds: enough for what others wait for to arrive before the next one ends the connection. */
const SPACING_MS = 250;

/** Calls of a frame that are sent apart from all others. */
interface Group {
  readonly frame: OutgoingFrame;
  readonly places: readonly number[];
  readonly losses: number;
}

/** The session that sends frames. */
export interface Sender {
  readonly outgoing: { readonly table: CallTable };
  /** True if calls are sent at once. */
  readonly isReady: boolean;
  /** Sends a frame as it is, or the calls at these places again. */
  transmit(frame: OutgoingFrame, places?: readonly number[]): void;
}

/** Calls that may be why their connections are lost: they are sent by themselves, behind all others, and not for ever. */
export class Suspects {
  readonly #sender: Sender;
  /** Groups to send over the next connection, or this one. */
  #waiting: Group[] = [];
  /** Groups that were sent over this one. */
  #sent: Group[] = [];
  readonly #timer = new Timer();

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Splits the groups that were sent over a connection that was lost, or rejects them. Returns the frames that calls are
   * suspected of, and whether any of them was under way: then nobody else is to blame.
   */
  lost(reason: RpcError): { frames: ReadonlySet<OutgoingFrame>; wereSent: boolean } {
    const sent = this.#unsettled(this.#sent);
    const waiting = this.#unsettled(this.#waiting);
    this.clear();
    this.#waiting = waiting;
    const frames = new Set([...sent, ...waiting].map(({ frame }) => frame));
    for (const { frame, places, losses } of sent) this.add(frame, places, losses + 1, reason);
    return { frames, wereSent: sent.length > 0 };
  }

  /** Has calls wait in smaller groups, behind those that wait, or rejects them. */
  add(frame: OutgoingFrame, places: readonly number[], losses: number, reason: RpcError): void {
    if (losses >= MAX_LOSSES) return rejectLost(this.#sender.outgoing.table, frame, places, reason);
    const size = Math.ceil(places.length / GROUPS);
    for (let at = 0; at < places.length; at += size) {
      this.#waiting.push({ frame, places: places.slice(at, at + size), losses });
    }
  }

  /** Begins to send, by and by: there is a connection again, and all others have been sent. */
  opened(): void {
    if (this.#waiting.length === 0) return;
    this.#timer.set(SPACING_MS, () => this.#sendNext());
    this.settled();
  }

  /** Notes that a call has settled: where nothing else is in flight, a group that was hardly ever lost need not wait. */
  settled(): void {
    // What is kept of a frame that nobody waits for is let go of when the frame itself is.
    if (this.#sent.length > 0) this.#sent = this.#unsettled(this.#sent);
    if (!this.#timer.isSet || this.#waiting[0].losses > SUSPECT_LOSSES) return;
    // Of those that wait, some may have been given up.
    const waiting = this.#unsettled(this.#waiting).reduce((sum, { places }) => sum + places.length, 0);
    if (this.#sender.outgoing.table.size <= waiting) this.#timer.set(0, () => this.#sendNext());
  }

  clear(): void {
    this.#timer.stop();
    this.#waiting = [];
    this.#sent = [];
  }

  #sendNext(): void {
    for (const group of this.#unsettled(this.#waiting.splice(0, this.#sender.isReady ? 1 : 0))) {
      this.#sender.transmit(group.frame, group.places);
      this.#sent.push(group);
    }
    this.opened();
  }

  /** Returns groups without the calls that have settled. */
  #unsettled(groups: readonly Group[]): Group[] {
    const { table } = this.#sender.outgoing;
    return groups
      .map(({ frame, places, losses }) => {
        return { frame, places: places.filter((place) => table.get(frame.firstId + place) !== undefined), losses };
      })
      .filter(({ places }) => places.length > 0);
  }
}

/** Rejects calls of a frame that were lost too often, or for too long. */
export function rejectLost(table: CallTable, frame: OutgoingFrame, places: readonly number[], cause: RpcError): void {
  for (const place of places) {
    const id = frame.firstId + place;
    const why = `was lost with its connection again and again: ${cause.message}`;
    const error = new RpcError('OUTCOME_UNKNOWN', `${table.get(id)?.name}() may have run, and ${why}`, { cause });
    table.settle(id, { ok: false, error });
  }
}
