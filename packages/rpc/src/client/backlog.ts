import { RpcError } from '../errors/rpc-error.ts';
import { countedBytes, type Message } from '../protocol/message.ts';
import { MAX_EARLY_BYTES } from '../protocol/version.ts';
import { type OutgoingFrame, takeBack } from '../session/outgoing/call.ts';
import { refuse } from './loss.ts';
import type { ClientOptions } from './options.ts';
import { rejectLost, type Sender, SUSPECT_LOSSES, Suspects } from './suspects.ts';

interface BacklogSender extends Sender {
  readonly clock: Clock;
  readonly options: ClientOptions;
}

/** The frames of a client that are not under way: those that wait to be sent, and those whose connection was lost after they had been. */
export class Backlog {
  readonly #sender: BacklogSender;
  /** In the order in which they are to be sent. */
  #frames: OutgoingFrame[] = [];
  #bytes = 0;
  /** Went with the request for the connection that is being made. */
  #early: OutgoingFrame | undefined;
  /** Calls that may be why connections are lost, once there have been any. */
  suspects: Suspects | undefined;

  constructor(sender: BacklogSender) {
    this.#sender = sender;
  }

  /** Adds a frame to those that wait; where they are too many bytes its calls reject, and it is not. */
  add(frame: OutgoingFrame): boolean {
    const { maxQueuedBytes } = this.#sender.options;
    const bytes = this.#bytes + countedBytes(frame.message!, maxQueuedBytes, this.#bytes);
    // Signals are bounded by what they are about, and without them it would break.
    if (bytes > maxQueuedBytes && frame.answered > 0) {
      const message = `not sent: ${maxQueuedBytes} bytes (maxQueuedBytes) of calls wait for a connection`;
      refuse(() => this.#sender.outgoing.table.reject(frame, new RpcError('OVERLOADED', message)));
      return false;
    }
    this.#bytes = bytes;
    this.#frames.push(frame);
    return true;
  }

  /** Returns the frame that would be sent first, for the request that connects: if it is small, was never sent, and all of it is wanted. */
  early(): Message | undefined {
    const { clock, outgoing, options } = this.#sender;
    const [frame] = options.early && !options.open.stateless ? this.#frames : [];
    const isWhole = frame !== undefined && outgoing.table.byFrame().get(frame)?.length === frame.answered;
    const isEarly = isWhole && !frame.isBound && countedBytes(frame.message!, MAX_EARLY_BYTES) <= MAX_EARLY_BYTES;
    this.#early = isEarly ? frame : undefined;
    if (isEarly) frame.sentAt = clock.now();
    return this.#early?.message;
  }

  /** Notes that the server has taken what was early: it is on its way to being answered. */
  earlyTaken(): void {
    if (this.#early !== undefined) this.#early.sent = true;
  }

  /** Sends all that is due, in the order in which it was called, and what is suspected behind it. */
  release(): void {
    const frames = this.#frames;
    const ahead = this.#early?.sent ? this.#early : undefined;
    const unsettled = this.#sender.outgoing.table.byFrame();
    this.#frames = [];
    this.#bytes = 0;
    this.#early = undefined;
    for (const frame of frames) {
      if (frame === ahead) continue;
      const places = unsettled.get(frame) ?? [];
      const { answered, isBound, life, sent } = frame;
      // What was given up while it waited is not to run, and not what was about an earlier connection.
      const isPart = isBound ? life.lost : places.length !== answered;
      if (places.length === 0 && answered > 0) takeBack(frame);
      else this.#sender.transmit(frame, sent || isPart ? places : undefined);
    }
    this.suspects?.opened();
  }

  /** Takes back a frame of which nothing ran over this connection: it goes before those that wait. Once, and not for ever. */
  takeBack(firstId: number): boolean {
    const frame = [...this.#sender.outgoing.table.byFrame().keys()].find((each) => each.firstId === firstId);
    if (frame === undefined || frame.wasRefused) return false;
    // Over an earlier connection it may have run.
    frame.sent = frame.lostAt !== undefined;
    frame.wasRefused = true;
    const place = this.#frames.findIndex(({ sent, wasRefused }) => !sent && !wasRefused);
    this.#frames.splice(place < 0 ? this.#frames.length : place, 0, frame);
    return true;
  }

  /** Keeps the frames of a connection that was lost, as far as they are worth another try. */
  lost(reason: RpcError): void {
    const { clock, options, outgoing } = this.#sender;
    const { table } = outgoing;
    for (const [frame, places] of table.byFrame()) {
      const hasWaited = frame.lostAt !== undefined && clock.since(frame.lostAt) >= options.maxWaitMs;
      if (hasWaited) rejectLost(table, frame, places, reason);
      if (frame.sent) frame.lostAt ??= clock.now();
    }
    const unsettled = table.byFrame();
    const suspected = this.suspects?.lost(reason);
    this.#frames = [];
    this.#bytes = 0;
    for (const [frame, places] of unsettled) {
      if (suspected?.frames.has(frame)) continue;
      if (frame.sent && !suspected?.wereSent) frame.losses++;
      if (frame.losses < SUSPECT_LOSSES) {
        this.#frames.push(frame);
        continue;
      }
      this.suspects ??= new Suspects(this.#sender);
      this.suspects.add(frame, places, frame.losses, reason);
    }
    // Those that were taken back, because they were refused, may be older than others that were sent.
    this.#frames.sort((a, b) => a.firstId - b.firstId);
  }

  /** Rejects the calls of frames that wait to be sent for the first time, or once more after a refusal. */
  rejectUnsent(error: RpcError): void {
    const frames = this.#frames;
    this.#frames = frames.filter(({ sent }) => sent);
    this.#bytes = 0;
    for (const frame of frames) if (!frame.sent) this.#sender.outgoing.table.reject(frame, error);
  }

  clear(): void {
    this.#frames = [];
    this.#bytes = 0;
    this.suspects?.clear();
  }
}

/** Tells how long ago something was, in milliseconds: never less than it was. */
export class Clock {
  /** By how much the date was ahead of what is counted. */
  #ahead: number | undefined;

  now(): number {
    const counted = performance.now();
    this.#ahead ??= Date.now() - counted;
    return counted;
  }

  /** The time since `now()` returned a number. What is counted may stand still while a machine sleeps: by the date it does not. */
  since(time: number): number {
    const counted = this.now();
    const slept = Date.now() - counted - this.#ahead!;
    return counted - time + Math.max(0, slept);
  }
}
