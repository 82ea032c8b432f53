import { RpcError } from '../errors/rpc-error.ts';
import type { OutgoingFrame } from '../session/outgoing/call.ts';
import type { Outgoing } from '../session/outgoing/outgoing.ts';
import { settleWith } from '../session/outgoing/waiting-calls.ts';
import { Timer } from '../session/timer.ts';
import type { Backlog } from './backlog.ts';
import type { Clock } from './clock.ts';

/** A call rejects when its connections were lost so often. */
const MAX_LOSSES = 5;
/** A frame is suspected of being why its connections are lost when so many were. */
const SUSPECT_LOSSES = 2;
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

/** What sending again needs of its session. */
interface ResendingHost {
  readonly clock: Clock;
  readonly backlog: Backlog;
  readonly outgoing: Outgoing;
  readonly options: { readonly maxWaitMs: number };
  /** Whether what is called is sent at once. */
  readonly isReady: boolean;
  sendAgain(frame: OutgoingFrame, places: readonly number[]): void;
}

/**
 * Decides what of a lost connection is sent again. A call may itself be why its connections are lost: so none is sent for ever,
 * and those that are suspected go by themselves, behind all others.
 */
export class Resending {
  readonly #host: ResendingHost;
  /** Groups to send over the next connection, or this one. */
  #waiting: Group[] = [];
  /** Groups that were sent over this one. */
  #sent: Group[] = [];
  readonly #timer = new Timer();

  constructor(host: ResendingHost) {
    this.#host = host;
  }

  /**
   * Has steps be answered that were being read when the connection was lost: who read them reads from the answers. Else
   * they would be gone with what the other side kept, although they may be stored.
   */
  recallSteps(): void {
    const { outgoing } = this.#host;
    const { table } = outgoing;
    const readers = [...table.calls].filter(({ reads }) => {
      const step = reads?.step;
      return step?.isKept && !step.isBound && !step.isOver;
    });
    for (const reader of readers) {
      const { step, path } = reader.reads!;
      table.add(step);
      table.delete(reader);
      // It is awaited now, and no longer kept.
      step.promise();
      const again = { owner: this.#host, base: step, path, name: reader.name, options: undefined };
      settleWith(reader, outgoing.call(again, undefined).promise());
    }
  }

  /** Keeps the frames of a connection that was lost, as far as they are worth another try. */
  lost(frames: Iterable<OutgoingFrame>, reason: RpcError): void {
    const { clock, options, outgoing, backlog } = this.#host;
    const whole: OutgoingFrame[] = [];
    for (const frame of frames) {
      if (frame.lostAt !== undefined && clock.since(frame.lostAt) >= options.maxWaitMs)
        this.#reject(frame, undefined, reason);
      else whole.push(frame);
      if (frame.sent) frame.lostAt ??= clock.now();
    }
    const unsettled = outgoing.table.byFrame();
    const [sent, waiting] = [this.#sent, this.#waiting].map((groups) =>
      groups.map((group) => ({ ...group, places: this.#left(group) })).filter(({ places }) => places.length > 0),
    );
    this.clear();
    this.#waiting = waiting;
    const apart = new Set([...sent, ...waiting].map(({ frame }) => frame));
    // Where there are suspects, nobody else is blamed.
    for (const group of sent) this.#blame({ ...group, losses: group.losses + 1 }, reason);
    backlog.clear();
    for (const frame of whole) {
      if (apart.has(frame)) continue;
      if (frame.sent && sent.length === 0) frame.losses++;
      if (frame.losses < SUSPECT_LOSSES) backlog.frames.push(frame);
      else this.#blame({ frame, places: unsettled.get(frame)!, losses: frame.losses }, reason);
    }
    // Those that were taken back, because they were refused, may be older than others that were sent.
    backlog.frames.sort((a, b) => a.firstId - b.firstId);
  }

  /** There is a connection again, and all others have been sent. */
  opened(): void {
    if (this.#waiting.length === 0) return;
    this.#timer.set(SPACING_MS, () => this.#sendNext());
    this.settled();
  }

  /** A call has settled: where nothing else is in flight, a group that was hardly ever lost need not wait. */
  settled(): void {
    // What is kept of a frame that nobody waits for is let go of when the frame itself is.
    if (this.#sent.length > 0) this.#sent = this.#sent.filter((group) => this.#left(group).length > 0);
    if (!this.#timer.isSet || this.#waiting[0].losses > SUSPECT_LOSSES) return;
    // Of those that wait, some may have been given up.
    const waiting = this.#waiting.reduce((sum, group) => sum + this.#left(group).length, 0);
    if (this.#host.outgoing.table.size <= waiting) this.#timer.set(0, () => this.#sendNext());
  }

  clear(): void {
    this.#timer.stop();
    this.#waiting = [];
    this.#sent = [];
  }

  #sendNext(): void {
    const group = this.#host.isReady ? this.#waiting.shift() : undefined;
    const places = group === undefined ? [] : this.#left(group);
    if (places.length > 0) {
      this.#host.sendAgain(group!.frame, places);
      this.#sent.push(group!);
    }
    this.opened();
  }

  /** The places of a group's calls that have not settled. */
  #left({ frame, places }: Group): number[] {
    const { table } = this.#host.outgoing;
    return places.filter((place) => table.get(frame.firstId + place) !== undefined);
  }

  /** Has a group that was lost wait in smaller ones, behind those that wait, or rejects its calls. */
  #blame({ frame, places, losses }: Group, reason: RpcError): void {
    if (losses >= MAX_LOSSES) return this.#reject(frame, places, reason);
    const size = Math.ceil(places.length / GROUPS);
    for (let at = 0; at < places.length; at += size) {
      this.#waiting.push({ frame, places: places.slice(at, at + size), losses });
    }
  }

  /** Rejects calls of a frame, or all that have not settled. */
  #reject(frame: OutgoingFrame, places: readonly number[] | undefined, cause: RpcError): void {
    const { table } = this.#host.outgoing;
    for (const place of places ?? table.byFrame().get(frame) ?? []) {
      const id = frame.firstId + place;
      const why = `was lost with its connection again and again: ${cause.message}`;
      const error = new RpcError('OUTCOME_UNKNOWN', `${table.get(id)?.name}() may have run, and ${why}`, { cause });
      table.settle(id, { ok: false, error });
    }
  }
}
