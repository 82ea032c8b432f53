import { RpcError } from '../errors/rpc-error.ts';
import { countedBytes } from '../protocol/message.ts';
import { type Call, type OutgoingFrame, takeBack } from '../session/outgoing/call.ts';
import { MAX_LOSSES } from '../session/outgoing/call-table.ts';
import type { Outgoing } from '../session/outgoing/outgoing.ts';
import { moment, since, Timer } from '../session/timer.ts';
import { refuse } from './loss.ts';
import type { ClientOptions } from './options.ts';

/** A frame is suspected of being why its connections are lost when so many were. */
const SUSPECT_LOSSES = 2;
/** A suspected frame is sent in so many groups of its calls. Of 4096, the most there are, each is alone before it is lost for the last time. */
const GROUPS = 16;
/** Between two suspected frames at most, in milliseconds: enough for what others wait for to arrive before the next one ends the connection. */
const SPACING_MS = 250;

interface Sender {
  readonly options: ClientOptions;
  readonly outgoing: Outgoing;
  /** True if calls are sent at once. */
  readonly isReady: boolean;
  /** Sends a frame as it is, or the calls at these places again. */
  transmit(frame: OutgoingFrame, places?: readonly number[]): void;
}

/**
 * The frames of a client that are not under way: they wait to be sent, or to be sent again. Those that may be why their connections
 * were lost are sent by themselves, behind all others, and not for ever.
 */
export class Backlog {
  readonly #sender: Sender;
  frames: OutgoingFrame[] = [];
  #bytes = 0;
  /** Until the next suspected frame is sent. */
  readonly #timer = new Timer();

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /** Adds a frame; where they are too many bytes its calls reject, and it is not. */
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
    this.frames.push(frame);
    return true;
  }

  /** Notes that the server has taken a frame that waits: it is on its way to being answered. */
  ahead(frame: OutgoingFrame): void {
    const place = this.frames.indexOf(frame);
    if (place < 0) return;
    this.frames.splice(place, 1);
    frame.sent = true;
  }

  /** Sends all that is due, in the order in which it was called, and begins to send what is suspected. */
  release(): void {
    const frames = this.frames.sort((a, b) => suspicion(a) - suspicion(b));
    const unsettled = this.#sender.outgoing.table.frames();
    this.clear();
    for (const frame of frames) {
      if (suspicion(frame) > 0) this.frames.push(frame);
      else this.#send(frame, unsettled);
    }
    this.#wait();
  }

  #send(frame: OutgoingFrame, unsettled: ReadonlyMap<OutgoingFrame, Call[]>): void {
    const { answered, firstId, isBound, life, sent } = frame;
    const places = unsettled.get(frame)?.map(({ id }) => id - firstId) ?? [];
    // What was given up while it waited is not to run, and not what was about an earlier connection.
    const isPart = isBound ? life !== this.#sender.outgoing.life : places.length !== answered;
    if (places.length === 0 && answered > 0) takeBack(frame);
    else this.#sender.transmit(frame, sent || isPart ? places : undefined);
  }

  /** Has the next suspected frame wait. */
  #wait(): void {
    if (this.frames.length === 0) return;
    this.#timer.set(SPACING_MS, this.#sendNext);
    this.settled();
  }

  readonly #sendNext = (): void => {
    // Else everything is released when calls are sent again.
    if (!this.#sender.isReady) return;
    this.#send(this.frames.shift()!, this.#sender.outgoing.table.frames());
    this.#wait();
  };

  /** Notes that a call has settled: where nothing else is in flight, a frame that was hardly ever lost need not wait. */
  settled(): void {
    if (!this.#timer.isSet || this.frames[0].losses > SUSPECT_LOSSES) return;
    const waiting = new Set<unknown>(this.frames);
    const calls = [...this.#sender.outgoing.table.values()];
    if (calls.every(({ frame }) => waiting.has(frame))) this.#timer.set(0, this.#sendNext);
  }

  /**
   * Counts a loss against the frames that were under way, or those among them that were suspected before: then nobody else is to
   * blame. Then has `end` settle the calls that this ends, and keeps the frames of others; suspected ones go apart.
   */
  lost(end: () => void): void {
    const { options, outgoing } = this.#sender;
    const waiting = new Set(this.frames);
    const frames = [...outgoing.table.frames().keys()];
    const isKnown = frames.some((frame) => suspicion(frame) > 0 && !waiting.has(frame));
    for (const frame of frames) {
      if (frame.lostAt !== undefined && since(frame.lostAt) >= options.maxWaitMs) frame.losses = MAX_LOSSES;
      else if (frame.sent && !waiting.has(frame) && !(isKnown && suspicion(frame) === 0)) frame.losses++;
      if (frame.sent) frame.lostAt ??= moment();
    }
    end();
    this.clear();
    for (const [frame, calls] of outgoing.table.frames()) {
      const isApart = suspicion(frame) > 0 && !waiting.has(frame);
      const size = isApart ? Math.ceil(calls.length / GROUPS) : calls.length;
      for (let at = 0; at < calls.length; at += size) {
        const group = isApart ? { ...frame } : frame;
        for (const call of calls.slice(at, at + size)) call.frame = group;
        this.frames.push(group);
      }
    }
    // Those that were taken back, because they were refused, may be older than others that were sent.
    this.frames.sort((a, b) => a.firstId - b.firstId);
  }

  /** Rejects the calls of frames that wait to be sent for the first time, or once more after a refusal. */
  rejectUnsent(error: RpcError): void {
    const frames = this.frames;
    this.frames = frames.filter(({ sent }) => sent);
    this.#bytes = 0;
    for (const frame of frames) if (!frame.sent) this.#sender.outgoing.table.reject(frame, error);
  }

  clear(): void {
    this.#timer.stop();
    this.frames = [];
    this.#bytes = 0;
  }
}

/** Returns how often a frame was lost, where it is suspected; else 0. */
function suspicion({ losses }: OutgoingFrame): number {
  return losses < SUSPECT_LOSSES ? 0 : losses;
}
