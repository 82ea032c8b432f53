import { toMessage } from '@lumenize/structured-clone/messages';
import { RpcError } from '../errors.ts';
import { type Call, type Frame, rejectLater } from '../peer/call.ts';
import type { Settings } from '../peer/options.ts';
import { Peer } from '../peer/peer.ts';
import { bytesOf } from '../peer/sizes.ts';
import { Place } from '../peer/stub.ts';
import { startTimer } from '../peer/timer.ts';
import type { ClientOptions, ConnectionState } from './options.ts';

/** The number of ids that settle before the server is told. */
const TOLD_EVERY = 256;

/** The frames of a client: they are sent, wait for a connection, or are sent again. A subclass connects. */
export abstract class ClientCalls extends Peer {
  declare readonly options: ClientOptions;
  declare state: ConnectionState;
  /** The reason for having no connection, if there is none. */
  declare reason: RpcError | undefined;
  declare readonly traffic: Record<
    'framesSent' | 'framesReceived' | 'bytesSent' | 'bytesReceived' | 'reconnects',
    number
  >;
  /** The id below which all calls have settled, as the server knows. */
  #told = 0;
  /** Rejects calls that have waited for too long. */
  #waitTimer: ReturnType<typeof setTimeout> | null = null;
  /** The bytes of calls that wait, at most. */
  #queuedBytes = 0;
  /** Frames of which calls were given up before they were sent: all are taken out together, since one takes as long. */
  protected readonly changed = new Set<Frame>();
  /** When the last connection was lost. */
  declare protected lostAt: number;
  /** True while nothing more is sent over a connection that is to be left. */
  declare protected isDraining: boolean;

  constructor(settings: Settings, options: ClientOptions) {
    super(settings, undefined);
    this.options = options;
    this.state = 'idle';
    this.reason = undefined;
    this.traffic = { framesSent: 0, framesReceived: 0, bytesSent: 0, bytesReceived: 0, reconnects: -1 };
    this.lostAt = 0;
    this.isReady = this.isDraining = false;
  }

  abstract connect(): void;
  protected abstract end(state: ConnectionState, error: RpcError): void;

  protected override head(id: number): string {
    const [settled = id] = this.calls.keys();
    if (settled - this.#told < TOLD_EVERY) return `[${id},[`;
    this.#told = settled;
    return `[${id},${settled},[`;
  }

  protected override refusal(): RpcError | undefined {
    if (this.state === 'closed') return this.reason;
    const { maxQueuedCalls } = this.options;
    if (this.calls.size < maxQueuedCalls) return undefined;
    return new RpcError('OVERLOADED', `not called: ${maxQueuedCalls} calls (maxQueuedCalls) wait for a connection`);
  }

  protected override send(frame: Frame): void {
    if (this.isReady) {
      frame.at = Date.now();
      frame.sent = 1;
      return this.signal(frame.tail === undefined ? frame.text : toMessage(frame.text, frame.tail));
    }
    // A getter of an argument may have closed the connection.
    if (this.state === 'closed') return this.reject(frame, this.frames().get(frame) ?? [], this.reason!);
    frame.at = Date.now();
    const { maxQueuedBytes } = this.options;
    this.#queuedBytes += sizeOf(frame);
    if (this.#queuedBytes > maxQueuedBytes) {
      // What has been given up meanwhile counts no longer.
      const frames = this.frames();
      this.#queuedBytes = [...frames.keys()].reduce((sum, each) => sum + sizeOf(each), 0);
      if (this.#queuedBytes > maxQueuedBytes) {
        const message = `not sent: ${maxQueuedBytes} bytes (maxQueuedBytes) of calls wait for a connection`;
        return this.reject(frame, frames.get(frame) ?? [], new RpcError('OVERLOADED', message));
      }
    }
    this.limitWaiting();
    if (this.state === 'idle' && !this.isDraining) this.connect();
  }

  /** Makes a call that is sent before all calls that wait, and only over this connection. */
  callAhead(operations: string): Call {
    this.flush();
    const call = this.append(new Place(operations, this.life), '', undefined);
    const frame = this.writing!;
    this.writing = undefined;
    frame.text += ']]';
    frame.isBound = true;
    this.transmit(frame);
    return call;
  }

  /** Sends a frame. `open` are its ids that have no answer yet, if it was sent before. */
  protected transmit(frame: Frame, open?: number[]): void {
    const { text, tail = [], sent } = frame;
    if (sent <= 0) {
      if (sent === 0) frame.at = Date.now();
      frame.sent = 0;
      this.signal(toMessage(text, tail));
    } else this.signal(toMessage(`{"again":${text},"open":[${open}],"ms":${Date.now() - frame.at}}`, tail));
    frame.sent++;
  }

  override giveUp(id: number, reason: RpcError): void {
    const frame = this.calls.get(id)?.frame;
    if (frame === this.writing) this.flush();
    const isOpen = this.calls.has(id);
    super.giveUp(id, reason);
    // What was given up while it waited is not made at all.
    if (isOpen && frame!.sent <= 0) this.changed.add(frame!);
  }

  /** The frames that have calls which have not settled, in order, with the ids of these. */
  protected frames(): Map<Frame, number[]> {
    for (const frame of this.changed) {
      this.changed.delete(frame);
      const passed = frame.leave(this.calls);
      this.references?.released(passed, new RpcError('CANCELLED', 'the call was given up'));
    }
    const frames = new Map<Frame, number[]>();
    for (const [id, { frame }] of this.calls) {
      if (frame === this.writing) continue;
      const ids = frames.get(frame!);
      if (ids === undefined) frames.set(frame!, [id]);
      else ids.push(id);
    }
    return frames;
  }

  /** Rejects the calls of a frame, and lets go of what it passes if that was never sent. */
  protected reject(frame: Frame, ids: readonly number[], error: RpcError): void {
    // None of them is left for a connection that opens before the last one rejects.
    const calls = ids.map((id) => this.settleCall(id)!);
    if (frame.sent <= 0 && frame.isBound) this.references?.released(frame.leave(this.calls), error);
    for (const call of calls) rejectLater(() => call.reject(error));
  }

  /** Sends what has waited. */
  protected resend(waiting: ReadonlyMap<Frame, number[]>): void {
    for (const [frame, open] of waiting) this.transmit(frame, open);
    this.#queuedBytes = 0;
  }

  protected stopWaiting(): void {
    clearTimeout(this.#waitTimer!);
    this.#waitTimer = null;
  }

  /** Rejects calls that have waited for a connection for too long. */
  protected limitWaiting(): void {
    const { maxWaitMs } = this.options;
    const isLimited = maxWaitMs > 0 && maxWaitMs < Infinity;
    if (!isLimited || this.#waitTimer !== null || this.state === 'open') return;
    const why = this.reason?.message ?? 'there is no connection';
    const error = new RpcError('NOT_EXECUTED', `waited ${maxWaitMs} ms (maxWaitMs): ${why}`);
    const now = Date.now();
    let next = Infinity;
    for (const [frame, ids] of this.frames()) {
      // What was made while a connection was left did not wait before that had ended.
      const since = frame.sent < 0 ? frame.at : Math.max(frame.at, this.lostAt);
      if (now - since >= maxWaitMs) this.reject(frame, ids, outcomeOf(frame, error));
      else next = Math.min(next, since + maxWaitMs - now);
    }
    const again = () => {
      this.#waitTimer = null;
      this.limitWaiting();
    };
    if (next < Infinity) this.#waitTimer = startTimer(again, next);
    else if (this.traffic.reconnects < 0 && this.calls.size === 0) this.end('idle', error);
  }
}

function sizeOf({ text, tail, sent }: Frame): number {
  return sent > 0 ? 0 : text.length + bytesOf(tail);
}

/** Returns the error of a call whose frame will not be sent, or not again. A client that is closed says why. */
export function outcomeOf({ sent }: Pick<Frame, 'sent'>, error: RpcError, state?: ConnectionState): RpcError {
  if (sent <= 0)
    return error.retryable || state === 'closed'
      ? error
      : new RpcError('NOT_EXECUTED', `not sent: ${error.message}`, { cause: error });
  return new RpcError('OUTCOME_UNKNOWN', `it may have run: ${error.message}`, { cause: error });
}
