import { CLOSE_DROPPED, CLOSE_MALFORMED, CLOSE_NORMAL, CLOSE_OTHER_IDENTITY, CLOSE_TOO_LARGE } from '../closes.ts';
import { asRpcError, RpcError } from '../errors.ts';
import type { Frame } from '../peer/call.ts';
import type { Ahead, Settings } from '../peer/options.ts';
import { randomName } from '../peer/random-name.ts';
import { startTimer } from '../peer/timer.ts';
import { json } from '../protocol.ts';
import type { OpenTransport, Transport } from '../transport/transport.ts';
import type { Message } from '../types/message.ts';
import { type Backoff, backoffOf } from './backoff.ts';
import { ClientCalls, outcomeOf } from './client-calls.ts';
import { heartbeatOf } from './heartbeat.ts';
import { classifyLoss } from './loss.ts';
import { offerOf } from './offer.ts';
import type { ClientOptions, ConnectionState, StateListener } from './options.ts';

/** How often a frame is sent at most. */
const MAX_SENT = 3;
/** The codes of closes because of a frame, which would be the same again. */
const UNREADABLE = [1003, CLOSE_MALFORMED, CLOSE_TOO_LARGE];
/** How long a client waits for what is under way before it leaves a connection, at most. */
const LONGEST_DRAIN_MS = 10_000;
/** An identity that is valid for less is not renewed ahead of time: the client would connect again and again. */
const SHORTEST_LIFE_MS = 5000;

/** The client's side of a connection. It connects, and connects again; calls wait meanwhile. */
export class Client extends ClientCalls {
  /** The destination, for messages. */
  declare readonly description: string;
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
  /** True once a call was answered over the connection, or if this side itself leaves it: the next one is made at once. */
  #isOfUse = false;
  /** True once the program has closed the connection. */
  isOver = false;
  /** Messages that have arrived and wait. */
  #held: Message[] | undefined;
  /** Returns what has to settle before another message is handled, if something has; asked when there is one. */
  #ahead: Ahead | undefined;

  constructor(open: OpenTransport, description: string, options: ClientOptions, settings: Settings) {
    super(settings, options);
    this.#open = options.wrapTransport?.(open) ?? open;
    this.description = description;
    this.#backoff = backoffOf(options.reconnect ?? true);
    const { heartbeat = {} } = options;
    if (heartbeat !== false) this.#heartbeat = heartbeatOf(this, heartbeat);
    if (options.onStateChange) this.#listeners.add(options.onStateChange);
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
    else if (!isOffline && !this.isOver && this.#attempt === undefined) this.connect();
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
      this.#name ??= randomName();
      const [settled = this.nextId] = this.calls.keys();
      const offer = offerOf(`${this.#name}.${++this.#attempts}.${settled}`, token, this.#tag);
      this.#transport = this.#open(
        {
          opened: () => isCurrent() && this.#opened(),
          received: (message) => attempt === this.#attempt && this.#received(message),
          alive: () => isCurrent() && this.#heartbeat?.heard(),
          closed: (code, reason) => {
            // What had arrived counts.
            while (isCurrent() && this.#held?.length) this.#release();
            if (isCurrent()) this.#closed(code, reason);
          },
        },
        offer,
      );
    } catch (error) {
      // A browser throws if a page that was loaded over https opens a ws URL. Another attempt would throw, too.
      return void setTimeout(() => isCurrent() && this.#lost(asRpcError(error, 'NOT_EXECUTED'), false));
    }
    if (this.#transport.probe !== undefined) {
      this.#timer = startTimer(() => this.drop('it takes too long'), this.options.connectTimeoutMs);
    }
  }

  #opened(): void {
    clearTimeout(this.#timer!);
    this.stopWaiting();
    this.traffic.reconnects++;
    this.#isOfUse = false;
    this.#setState('open');
    this.#backoff.opened();
    if (this.#transport!.probe !== undefined) {
      this.#heartbeat?.start();
      this.#heartbeat?.wake();
    }
    this.flush();
    const waiting = this.frames();
    // What waits, waits for subscriptions: their events come before the answers of calls.
    for (const { opened } of this.settings.features) opened?.(this);
    this.isReady = true;
    this.resend(waiting);
  }

  #received(message: Message): void {
    const wait = this.#ahead?.();
    this.#ahead = undefined;
    if (wait !== undefined) this.#hold(wait);
    if (this.#held !== undefined) return void this.#held.push(message);
    this.traffic.framesReceived++;
    this.traffic.bytesReceived += message.length;
    this.#heartbeat?.heard();
    const { size } = this.calls;
    try {
      const ahead = this.receive(message);
      if (typeof ahead === 'function') this.#ahead = ahead as Ahead;
      this.#isOfUse ||= this.calls.size < size;
    } catch (error) {
      this.broken(asRpcError(error, 'MALFORMED_FRAME'));
    }
    if (this.isDraining) this.#leaveIfDone();
  }

  /** Handles no message before something has settled. */
  #hold(wait: Promise<unknown>): void {
    const held: Message[] = [];
    this.#held = held;
    void wait.then(() => {
      if (this.#held === held) this.#release(); // else the connection has ended
    });
  }

  #release(): void {
    const held = this.#held!;
    this.#held = undefined;
    const attempt = this.#attempt;
    for (const message of held) if (attempt === this.#attempt) this.#received(message);
  }

  protected override handle(name: string, signal: Record<string, unknown>, tail: Uint8Array | undefined): unknown {
    if (name === 'as') {
      this.#tag = String(signal.as);
      const ms = Number(signal.ms);
      // Makes another connection before the identity of this one expires.
      if (ms >= SHORTEST_LIFE_MS && typeof this.options.token !== 'string' && !this.isDraining) {
        clearTimeout(this.#timer!);
        this.#timer = startTimer(() => this.renew(), ms - Math.min(ms / 10, 30_000));
      }
    } else if (name === 'from') this.drain(Number(signal.from));
    else if (name === 'read') this.signal(json(signal));
    else if (name === 'coming') this.#heartbeat?.heard(Number(signal.coming) || 0);
    else return super.handle(name, signal, tail);
    return undefined;
  }

  /** Connects again with a new token. */
  renew(): void {
    if (this.state === 'open') {
      this.#isOfUse = true;
      return this.drain();
    }
    // An attempt that is under way has asked for its token earlier.
    this.end('reconnecting', this.reason!, () => true);
    this.connect();
  }

  /** Leaves the connection when what is under way has settled. Calls from an id on were not run. */
  drain(from = this.nextId): void {
    this.flush();
    for (const frame of this.frames().keys()) {
      if (frame.firstId < from || frame.sent <= 0) continue;
      frame.sent = -1;
      this.changed.add(frame); // also what was given up after it was sent
    }
    this.isReady = false;
    this.isDraining = true;
    clearTimeout(this.#timer!);
    this.#timer = setTimeout(() => this.#connectAnew(), LONGEST_DRAIN_MS);
    this.#leaveIfDone();
  }

  #leaveIfDone(): void {
    if (![...this.frames().keys()].some(({ sent }) => sent > 0)) this.#connectAnew();
  }

  override giveUp(id: number, reason: RpcError): void {
    super.giveUp(id, reason);
    if (this.isDraining) this.#leaveIfDone();
  }

  #connectAnew(): void {
    const isOfUse = this.#isOfUse;
    const why = isOfUse ? 'the connection is made again' : 'nothing was answered: does the identity expire at once?';
    const error = new RpcError('NOT_EXECUTED', why);
    // What was of no use may be so again and again, and counts as an attempt that has failed.
    if (!isOfUse && this.options.maxWaitMs === 0) return this.end('idle', error);
    this.#lost(error);
    if (isOfUse) this.connect();
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
    try {
      this.#transport?.probe?.();
    } catch (error) {
      this.drop(String(error));
    }
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
      this.end('reconnecting', error);
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
    if (!isTemporary || !canRepeat) return this.end(isTemporary ? 'idle' : 'closed', error);
    const wasOpen = this.state === 'open';
    this.end('reconnecting', error, ({ isBound, sent }) =>
      wasOpen
        ? !isBound && sent < (UNREADABLE.includes(code) ? 1 : MAX_SENT)
        : maxWaitMs > 0 && (isBound || sent < MAX_SENT),
    );
    this.#heartbeat?.wake();
    this.#timer = startTimer(() => this.connect(), this.#backoff.next(code, error));
    if (this.calls.size > 0) this.limitWaiting();
  }

  /** Ends the connection or the attempt, and the calls of all frames but those that go on with the next one. */
  protected override end(
    state: ConnectionState,
    error: RpcError,
    goesOn?: (frame: Frame) => boolean,
    code = CLOSE_DROPPED,
  ): void {
    const wasOpen = this.state === 'open';
    const transport = this.#transport;
    // What is being written, and what it uses, belongs to the connection that ends. It does not leave any more.
    this.isReady = false;
    this.isDraining = true;
    if (wasOpen || goesOn === undefined) this.flush();
    this.#transport = this.#attempt = this.#held = this.#ahead = undefined;
    this.isDraining = false;
    clearTimeout(this.#timer!);
    this.#heartbeat?.stop(state !== 'reconnecting');
    if (state !== 'reconnecting') this.stopWaiting();
    this.#setState(state, error);
    try {
      transport?.close(code, '');
    } catch {
      // A transport that cannot be closed is given up all the same, so that its calls settle.
    }
    if (wasOpen) this.lostAt = Date.now();
    // What calls pass that wait ends with them.
    if (wasOpen)
      this.lose(new RpcError('REFERENCE_LOST', `it ended with its connection: ${error.message}`, { cause: error }));
    else if (goesOn === undefined) this.lose(error);
    for (const [frame, ids] of this.frames())
      if (!goesOn?.(frame)) this.reject(frame, ids, outcomeOf(frame, error, state));
    // What waits for its arguments is not made under another identity.
    if (goesOn === undefined && state !== 'idle')
      for (const end of this.ends ?? []) end(outcomeOf({ sent: 0 }, error, state));
    for (const { ended } of this.settings.features) ended?.(this, goesOn !== undefined);
  }

  /** Ends the connection for good. */
  override close(): void {
    this.isOver = true;
    if (this.state === 'closed') return;
    if (this.isReady) this.flush();
    this.end('closed', closedError(), undefined, CLOSE_NORMAL);
  }
}

/** Returns the error of calls after `close()`. */
function closedError(): RpcError {
  return new RpcError('NOT_EXECUTED', 'the connection was closed: with "using", await calls inside its block');
}
