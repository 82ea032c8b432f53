import { toMessage } from '@lumenize/structured-clone/messages';
import { CLOSE_DROPPED, CLOSE_NORMAL, CLOSE_OTHER_IDENTITY } from '../closes.ts';
import { asRpcError, RpcError } from '../errors.ts';
import { type Call, type Frame, rejectLater } from '../peer/call.ts';
import type { Settings } from '../peer/options.ts';
import { bytesOf, Peer } from '../peer/peer.ts';
import { Place } from '../peer/stub.ts';
import {
  CLIENT_PREFIX,
  IDENTITY_PREFIX,
  json,
  MAX_TOKEN_LENGTH,
  REFUSED_SUBPROTOCOL,
  SUBPROTOCOL,
  tokenProtocol,
} from '../protocol.ts';
import type { OpenTransport, Transport } from '../transport/transport.ts';
import type { Message } from '../types/message.ts';
import { type Backoff, backoffOf } from './backoff.ts';
import { heartbeatOf } from './heartbeat.ts';
import { classifyLoss } from './loss.ts';
import type { ClientOptions, ConnectionState, StateListener } from './options.ts';

/** The number of ids that settle before the server is told. */
const TOLD_EVERY = 256;
/** How often a frame is sent at most. */
const MAX_SENT = 3;
/** How long a client waits for what is under way before it leaves a connection, at most. */
const LONGEST_DRAIN_MS = 10_000;
/** The longest delay of a timer. One that is set for longer goes off at once. */
const LONGEST_MS = 2 ** 31 - 1;
/** An identity that is valid for less is not renewed ahead of time: the client would connect again and again. */
const SHORTEST_LIFE_MS = 5000;

/** The client's side of a connection. It connects, and connects again; calls wait meanwhile. */
export class Client extends Peer {
  declare readonly options: ClientOptions;
  /** The destination, for messages. */
  declare readonly description: string;
  state: ConnectionState = 'idle';
  /** The reason for having no connection, if there is none. */
  reason: RpcError | undefined;
  readonly traffic = { framesSent: 0, framesReceived: 0, bytesSent: 0, bytesReceived: 0, reconnects: -1 };
  /** The id below which all calls have settled, as the server knows. */
  declare private told: number;
  readonly #open: OpenTransport;
  readonly #listeners = new Set<StateListener>();
  readonly #backoff: Backoff;
  readonly #heartbeat: ReturnType<typeof heartbeatOf> | undefined;
  #transport: Transport | undefined;
  /** The attempt to connect that counts. What others still report is ignored. */
  #attempt: object | undefined;
  #attempts = 0;
  #name: string | undefined;
  /** The tag of the identity that the session has, as the server has told. */
  #tag: string | undefined;
  /** The next attempt, or the end of the one that is under way. */
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Rejects calls that have waited for too long. */
  #waitTimer: ReturnType<typeof setTimeout> | null = null;
  /** When the last connection was lost. */
  #lostAt = 0;
  /** The bytes of calls that wait, at most. */
  #queuedBytes = 0;
  /** Messages that have arrived and wait. */
  #held: Message[] | undefined;
  /** True while nothing more is sent over a connection that is to be left. */
  #isDraining = false;

  constructor(open: OpenTransport, description: string, options: ClientOptions, settings: Settings) {
    super(settings, undefined);
    this.isReady = false;
    this.told = 0;
    this.#open = options.wrapTransport?.(open) ?? open;
    this.description = description;
    this.options = options;
    this.#backoff = backoffOf(options.reconnect ?? true);
    const { heartbeat = {} } = options;
    if (heartbeat !== false) this.#heartbeat = heartbeatOf(this, heartbeat);
    if (options.onStateChange) this.#listeners.add(options.onStateChange);
  }

  // Calls.

  protected override head(id: number): string {
    const [settled = id] = this.calls.keys();
    if (settled - this.told < TOLD_EVERY) return super.head(id);
    this.told = settled;
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
    frame.at = Date.now();
    const { maxQueuedBytes } = this.options;
    this.#queuedBytes += sizeOf(frame);
    if (this.#queuedBytes > maxQueuedBytes) {
      // What has been given up meanwhile counts no longer.
      const frames = this.#frames();
      this.#queuedBytes = [...frames.keys()].reduce((sum, each) => sum + sizeOf(each), 0);
      if (this.#queuedBytes > maxQueuedBytes) {
        const message = `not sent: ${maxQueuedBytes} bytes (maxQueuedBytes) of calls wait for a connection`;
        return this.#reject(frames.get(frame)!, new RpcError('OVERLOADED', message));
      }
    }
    this.#limitWaiting();
    if (this.state === 'idle' && !this.#isDraining) this.connect();
  }

  /** Makes a call that is sent before all calls that wait. */
  callAhead(operations: string): Call {
    this.flush();
    const call = this.append(new Place(operations, this.life), '', undefined);
    const frame = this.writing!;
    this.writing = undefined;
    frame.text += ']]';
    this.#transmit(frame);
    return call;
  }

  /** Sends a frame. `open` are its ids that have no answer yet, if it was sent before. */
  #transmit(frame: Frame, open?: number[]): void {
    const { text, tail = [], sent } = frame;
    if (sent === 0) {
      frame.at = Date.now();
      this.signal(toMessage(text, tail));
    } else this.signal(toMessage(`{"again":${text},"open":[${open}],"ms":${Date.now() - frame.at}}`, tail));
    frame.sent++;
  }

  override signal(message: Message): void {
    if (this.state !== 'open') return;
    this.traffic.framesSent++;
    this.traffic.bytesSent += message.length;
    try {
      this.#transport!.send(message);
    } catch (error) {
      // Later, because this side may still be writing.
      const attempt = this.#attempt;
      setTimeout(() => attempt === this.#attempt && this.drop(String(error)));
    }
  }

  override giveUp(id: number, reason: RpcError): void {
    const frame = this.calls.get(id)?.frame;
    if (frame === this.writing) this.flush();
    super.giveUp(id, reason);
    // What was given up while it waited is not made at all.
    if (frame !== undefined && frame.sent === 0) {
      for (const passed of frame.remove(id)) this.references?.released([passed, 1]);
    }
  }

  /** The frames that have calls which have not settled, in order, with the ids of these. */
  #frames(): Map<Frame, number[]> {
    const frames = new Map<Frame, number[]>();
    for (const [id, { frame }] of this.calls) {
      if (frame === this.writing) continue;
      const ids = frames.get(frame!);
      if (ids === undefined) frames.set(frame!, [id]);
      else ids.push(id);
    }
    return frames;
  }

  #reject(ids: readonly number[], error: RpcError): void {
    for (const id of ids) rejectLater(() => this.settleCall(id)?.reject(error));
  }

  // The connection.

  onStateChange(listener: StateListener): () => void {
    // A new function for each registration, so that the same listener can be added twice.
    const entry: StateListener = (...change) => listener(...change);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  #setState(state: ConnectionState, reason?: RpcError): void {
    if (state === this.state && reason === this.reason) return;
    this.state = state;
    this.reason = reason;
    // Listeners run later, so that whatever they do or throw finds the connection in its new state.
    for (const listener of this.#listeners)
      Promise.resolve()
        .then(() => this.#listeners.has(listener) && listener(state, reason))
        .catch(console.error);
  }

  /** Connects now, without waiting for the first call or the next attempt. Checks an open connection. */
  look(isOffline = false): void {
    if (this.state === 'open') this.#heartbeat?.ask();
    else if (!isOffline && this.state !== 'closed' && this.#transport === undefined) this.connect();
  }

  connect(): void {
    if (this.state !== 'reconnecting') this.#setState('connecting');
    clearTimeout(this.#timer!);
    const { token } = this.options;
    const attempt = {};
    this.#attempt = attempt;
    if (typeof token !== 'function') return this.#dial(attempt, token);
    new Promise((resolve) => resolve(token())).then(
      (given) => attempt === this.#attempt && this.#dial(attempt, given),
      (error) => attempt === this.#attempt && this.#tokenFailed(error),
    );
  }

  #tokenFailed(error: unknown): void {
    const isFinal = error instanceof RpcError && !error.retryable;
    this.#lost(isFinal ? error : new RpcError('NOT_EXECUTED', `token() failed: ${error}`, { cause: error }), !isFinal);
  }

  #dial(attempt: object, token: unknown): void {
    const isCurrent = () => attempt === this.#attempt;
    try {
      const offer = this.#offer(token);
      this.#transport = this.#open(
        {
          opened: () => isCurrent() && this.#opened(),
          received: (message) => attempt === this.#attempt && this.#received(message),
          alive: () => isCurrent() && this.#heartbeat?.heard(),
          closed: (code, reason) => isCurrent() && this.#closed(code, reason),
        },
        offer,
      );
    } catch (error) {
      // A browser throws if a page that was loaded over https opens a ws URL. Another attempt would throw, too.
      return void setTimeout(() => isCurrent() && this.#lost(asRpcError(error, 'NOT_EXECUTED'), false));
    }
    if (this.#transport.probe !== undefined) {
      this.#timer = setTimeout(
        () => this.drop('it takes too long'),
        Math.min(this.options.connectTimeoutMs, LONGEST_MS),
      );
    }
  }

  /**
   * The subprotocols that this client offers. A page can send nothing else with an upgrade, and logs do not record them.
   * @throws {RpcError} `DENIED` if the token is too long
   */
  #offer(token: unknown): string[] {
    this.#name ??= randomName();
    const [settled = this.nextId] = this.calls.keys();
    const offer = [SUBPROTOCOL, `${CLIENT_PREFIX}${this.#name}.${++this.#attempts}.${settled}`];
    if (token !== undefined && token !== null) {
      if (typeof token !== 'string') throw new TypeError(`token needs a text, not ${typeof token}`);
      if (token.length > MAX_TOKEN_LENGTH) {
        throw new RpcError('DENIED', `token: ${token.length} characters, and at most ${MAX_TOKEN_LENGTH} are sent`);
      }
      offer.push(tokenProtocol(token));
    }
    if (this.#tag !== undefined) offer.push(IDENTITY_PREFIX + this.#tag);
    offer.push(REFUSED_SUBPROTOCOL);
    return offer;
  }

  #opened(): void {
    clearTimeout(this.#timer!);
    this.#stopWaiting();
    this.traffic.reconnects++;
    this.#setState('open');
    this.#backoff.opened();
    if (this.#transport!.probe !== undefined) {
      this.#heartbeat?.start();
      this.#heartbeat?.wake();
    }
    this.flush();
    const waiting = this.#frames();
    // What waits, waits for subscriptions: their events come before the answers of calls.
    for (const { opened } of this.settings.features) opened?.(this);
    this.isReady = true;
    for (const [frame, open] of waiting) this.#transmit(frame, open);
    this.#queuedBytes = 0;
  }

  #received(message: Message): void {
    if (this.#held !== undefined) return void this.#held.push(message);
    this.traffic.framesReceived++;
    this.traffic.bytesReceived += message.length;
    this.#heartbeat?.heard();
    try {
      const wait = this.receive(message);
      if (wait instanceof Promise) this.#hold(wait);
    } catch (error) {
      this.broken(asRpcError(error, 'MALFORMED_FRAME'));
    }
    if (this.#isDraining) this.#leaveIfDone();
  }

  /** Handles no message before something has settled. */
  #hold(wait: Promise<unknown>): void {
    const held: Message[] = [];
    this.#held = held;
    void wait.then(() => {
      if (this.#held !== held) return; // the connection has ended
      this.#held = undefined;
      const attempt = this.#attempt;
      for (const message of held) if (attempt === this.#attempt) this.#received(message);
    });
  }

  protected override handle(name: string, signal: Record<string, unknown>, tail: Uint8Array | undefined): unknown {
    if (name === 'as') {
      this.#tag = String(signal.as);
      const ms = Number(signal.ms);
      // Makes another connection before the identity of this one expires.
      if (ms >= SHORTEST_LIFE_MS) {
        this.#timer = setTimeout(() => this.drain(), Math.min(ms - Math.min(ms / 10, 30_000), LONGEST_MS));
      }
    } else if (name === 'from') this.drain(Number(signal.from));
    else if (name === 'read') this.signal(json(signal));
    else if (name === 'coming') this.#heartbeat?.heard(Number(signal.coming) || 0);
    else return super.handle(name, signal, tail);
    return undefined;
  }

  /** Connects again with a new token. */
  renew(): void {
    if (this.state === 'open') return this.drain();
    // An attempt that is under way has asked for its token earlier.
    this.#end('reconnecting', this.reason ?? closedError(), () => true);
    this.connect();
  }

  /** Leaves the connection when what is under way has settled. Calls from an id on were not run. */
  drain(from = this.nextId): void {
    this.flush();
    for (const frame of this.#frames().keys()) if (frame.firstId >= from) frame.sent = 0;
    this.isReady = false;
    this.#isDraining = true;
    clearTimeout(this.#timer!);
    this.#timer = setTimeout(() => this.#connectAnew(), LONGEST_DRAIN_MS);
    this.#leaveIfDone();
  }

  #leaveIfDone(): void {
    if (![...this.#frames().keys()].some(({ sent }) => sent > 0)) this.#connectAnew();
  }

  #connectAnew(): void {
    this.#lost(new RpcError('NOT_EXECUTED', 'the connection is made again'));
    this.connect();
  }

  /** Ends the connection after a message that breaks the protocol. */
  override broken(error: RpcError): void {
    this.#lost(error);
  }

  /** Gives the connection up, and treats it as lost. */
  drop(reason: string): void {
    this.#closed(CLOSE_DROPPED, reason);
  }

  probe(): void {
    this.#transport?.probe?.();
  }

  /** The number of bytes that have not left yet. */
  get unsent(): number {
    return this.#transport?.waiting?.() ?? 0;
  }

  #closed(code: number, reason: string): void {
    const { error, isTemporary } = classifyLoss(code, reason, this.description, this.state === 'open');
    if (code === CLOSE_OTHER_IDENTITY && this.#tag !== undefined) {
      // Ends the session of the identity, and begins another one.
      this.#tag = this.#name = undefined;
      this.#attempts = 0;
      this.life++;
      this.#end('reconnecting', error);
      return this.connect();
    }
    // Another token may help, if there can be one, but not if one has just not helped.
    const isCurable =
      error.code === 'EXPIRED' && typeof this.options.token === 'function' && this.reason?.code !== 'EXPIRED';
    this.#lost(error, isTemporary || isCurable, code);
  }

  /** Handles a loss: settles what cannot go on, and connects again if that can help. */
  #lost(error: RpcError, isTemporary = true, code = CLOSE_NORMAL): void {
    const { reconnect, maxWaitMs } = this.options;
    const transport = this.#transport;
    const canRepeat = reconnect !== false && (transport === undefined || transport.probe !== undefined);
    if (!isTemporary || !canRepeat) return this.#end(isTemporary ? 'idle' : 'closed', error);
    const wasOpen = this.state === 'open';
    this.#end('reconnecting', error, ({ isBound, sent }) =>
      wasOpen ? !isBound && sent < MAX_SENT : maxWaitMs > 0 && (isBound || sent < MAX_SENT),
    );
    this.#heartbeat?.wake();
    this.#timer = setTimeout(() => this.connect(), Math.min(this.#backoff.next(code, error), LONGEST_MS));
    if (this.calls.size > 0) this.#limitWaiting();
  }

  /** Ends the connection or the attempt, and the calls of all frames but those that go on with the next one. */
  #end(state: ConnectionState, error: RpcError, goesOn?: (frame: Frame) => boolean, code = CLOSE_DROPPED): void {
    const wasOpen = this.state === 'open';
    const transport = this.#transport;
    // What is being written, and what it uses, belongs to the connection that ends. It does not leave any more.
    this.isReady = false;
    this.#isDraining = true;
    if (wasOpen || goesOn === undefined) this.flush();
    this.#transport = this.#attempt = this.#held = undefined;
    this.#isDraining = false;
    clearTimeout(this.#timer!);
    this.#heartbeat?.stop(state === 'closed');
    if (state !== 'reconnecting') this.#stopWaiting();
    this.#setState(state, error);
    try {
      transport?.close(code, '');
    } catch {
      // A transport that cannot be closed is given up all the same, so that its calls settle.
    }
    if (wasOpen) {
      this.#lostAt = Date.now();
      this.lose(error);
    }
    for (const [frame, ids] of this.#frames()) if (!goesOn?.(frame)) this.#reject(ids, outcomeOf(frame, error, state));
    for (const { ended } of this.settings.features) ended?.(this, goesOn !== undefined);
  }

  #stopWaiting(): void {
    clearTimeout(this.#waitTimer!);
    this.#waitTimer = null;
  }

  /** Rejects calls that have waited for a connection for too long. */
  #limitWaiting(): void {
    const { maxWaitMs } = this.options;
    if (this.#waitTimer !== null || maxWaitMs === 0) return;
    const check = () => {
      this.#waitTimer = null;
      if (this.state === 'open') return;
      const why = this.reason?.message ?? 'there is no connection';
      const error = new RpcError('NOT_EXECUTED', `waited ${maxWaitMs} ms (maxWaitMs): ${why}`);
      const now = Date.now();
      let next = Infinity;
      for (const [frame, ids] of this.#frames()) {
        const since = frame.sent > 0 ? this.#lostAt : frame.at;
        if (now - since >= maxWaitMs) this.#reject(ids, outcomeOf(frame, error));
        else next = Math.min(next, since + maxWaitMs - now);
      }
      if (next < Infinity) this.#waitTimer = setTimeout(check, next);
      else if (this.traffic.reconnects < 0 && this.calls.size === 0) this.#end('idle', error);
    };
    this.#waitTimer = setTimeout(check, Math.min(maxWaitMs, LONGEST_MS));
  }

  /** Ends the connection for good. */
  override close(): void {
    if (this.state === 'closed') return;
    if (this.isReady) this.flush();
    this.#end('closed', closedError(), undefined, CLOSE_NORMAL);
  }
}

function sizeOf({ text, tail, sent }: Frame): number {
  return sent > 0 ? 0 : text.length + bytesOf(tail);
}

/** Returns the error of a call whose frame will not be sent, or not again. A client that is closed says why. */
function outcomeOf({ sent }: Frame, error: RpcError, state?: ConnectionState): RpcError {
  if (sent === 0)
    return error.retryable || state === 'closed'
      ? error
      : new RpcError('NOT_EXECUTED', `not sent: ${error.message}`, { cause: error });
  return new RpcError('OUTCOME_UNKNOWN', `it may have run: ${error.message}`, { cause: error });
}

/** Returns the error of calls after `close()`. */
function closedError(): RpcError {
  return new RpcError('NOT_EXECUTED', 'the connection was closed: with "using", await calls inside its block');
}

/** Returns a name for a client: 128 random bits, in hexadecimal. */
function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte | 256).toString(16).slice(1)).join('');
}
