import type { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_ABNORMAL, CLOSE_DROPPED, CLOSE_NORMAL } from '../protocol/errors.ts';
import { bytesOf, type Message } from '../protocol/message.ts';
import {
  CLIENT_PREFIX,
  EARLY_PREFIX,
  EARLY_SUBPROTOCOL,
  REFUSED_SUBPROTOCOL,
  SUBPROTOCOL,
  TOKEN_PREFIX,
  toBase64Url,
} from '../protocol/version.ts';
import { Timer } from '../session/timer.ts';
import type { Transport } from '../transport/transport.ts';
import { Heartbeat, whenWorthATry } from './heartbeat.ts';
import { Backoff, classifyLoss, type Loss, refuse } from './loss.ts';
import type { ClientOptions, ConnectionState, StateListener } from './options.ts';

/** Receives what happens to a link. */
export interface LinkEvents {
  /** True while calls are in flight, or wait. */
  readonly isWaiting: boolean;
  /** Returns what can go with the request that opens a connection, for the server to read ahead; undefined where there is nothing. */
  early(): Message | undefined;
  /** Frames can be sent; `isAhead` where the server has taken what was early. */
  opened(isAhead: boolean): void;
  received(frame: Message): void;
  answered(frames: readonly Message[]): void;
  /** A connection, or an attempt to make one, is gone. */
  lost(loss: Loss): void;
}

/**
 * A client's way to its server, over one transport after another: connects, notices when a connection is dead, and connects
 * again. Frames are sent while it is open, and only then.
 */
export class Link {
  state: ConnectionState = 'idle';
  /** Reason for having no connection, where there is none. */
  reason: RpcError | undefined;
  /** True if it was closed here, and will not open again. */
  isFinal = false;
  readonly #options: ClientOptions;
  readonly #events: LinkEvents;
  readonly #backoff: Backoff;
  readonly #heartbeat: Heartbeat | undefined;
  readonly #listeners = new Set<StateListener>();
  /** Tells the server that connections are of the same client. */
  #name: string | undefined;
  /** Tells it which of them is the newest: upgrades overtake each other where one was held up. */
  #attempts = 0;
  #opened = 0;
  #transport: Transport | undefined;
  /** Until the next attempt, or until the one under way has taken too long. */
  readonly #timer = new Timer();
  #stopWaking: (() => void) | undefined;
  #isProbed = false;
  /** True if the last connection, or attempt, ended because the token had expired. */
  #wasExpired = false;
  /** True if somebody was told that there is no connection. */
  #isTold = false;

  constructor(options: ClientOptions, events: LinkEvents) {
    const { reconnect, heartbeat } = options;
    this.#options = options;
    this.#events = events;
    this.#backoff = new Backoff(reconnect);
    this.#heartbeat = heartbeat === false ? undefined : new Heartbeat(this, heartbeat);
  }

  /** Returns how often a connection was made again. */
  get reconnects(): number {
    return Math.max(0, this.#opened - 1);
  }

  get isWaiting(): boolean {
    return this.#events.isWaiting;
  }

  /** True if the transport tells whether a connection lives. Others are not watched: there the next call connects again. */
  get canProbe(): boolean {
    return this.#transport?.probe !== undefined;
  }

  /** Calls a listener with each change of the state, until the function that is returned is called. */
  onStateChange(listener: StateListener): () => void {
    // As one of its own, so that the same function can listen twice.
    const entry: StateListener = (...change) => listener(...change);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  /** Connects now, unless there is no network, or it was closed; asks an open connection whether it lives. */
  connect(isOffline = false): void {
    if (this.state === 'open') return this.canProbe ? this.#heartbeat?.ask() : undefined;
    if (isOffline || this.isFinal || this.#transport !== undefined) return;
    if (this.state !== 'reconnecting') this.#setState('connecting');
    this.#timer.stop();
    this.#attempt();
  }

  /** Asks the other side for a sign of life. */
  probe(): void {
    this.#transport?.probe?.();
  }

  send(frame: Message): void {
    this.#transport!.send(frame);
  }

  /** Gives up a connection over which came what makes no sense, or says no: nothing of it is to go on over the next one. */
  refuse(error: RpcError): void {
    this.#lose({ error, wasOpen: true, mayHaveRun: true, isBlamed: true, isTemporary: true }, CLOSE_NORMAL);
  }

  /** Gives the connection up, as one that was lost. */
  drop(reason: string): void {
    this.#lost(CLOSE_ABNORMAL, reason);
  }

  /** Connects with a token that is asked for from now on: an attempt that is under way has asked before. */
  again(): void {
    this.#leave(this.state, this.reason);
    this.connect();
  }

  /** Stops trying, where nobody waits: the next call begins again. */
  rest(): void {
    if (this.#opened === 0 && this.state !== 'closed') this.#leave('idle', this.reason);
  }

  /** Ends it for good, with the error that calls are to reject with. */
  close(error: RpcError): void {
    this.isFinal = true;
    this.#leave('closed', undefined, CLOSE_NORMAL);
    this.#events.lost({ error, wasOpen: true, mayHaveRun: true, isBlamed: false, isTemporary: false });
  }

  #attempt(): void {
    const { token } = this.#options;
    if (typeof token !== 'function') return this.#start(token);
    // Holds the place meanwhile, so that no other attempt begins.
    const asked: Transport = { send: () => {}, close: () => {}, probe: () => {} };
    this.#transport = asked;
    const isAsked = () => this.#transport === asked;
    new Promise<string>((resolve) => resolve(token())).then(
      (given) => isAsked() && this.#start(given),
      (error) => isAsked() && this.#fail(`NOT_EXECUTED: token() failed: ${error}`),
    );
  }

  /** Ends an attempt that could not even begin. */
  #fail(reason: string): void {
    refuse(
      () => this.#lost(CLOSE_NORMAL, reason),
      (job) => this.#timer.set(0, job),
    );
  }

  #start(token: string | undefined): void {
    // Not before: a Worker may ask for random numbers only while it handles something.
    this.#name ??= newName();
    // Not yet the current one, which is undefined where there is none.
    let transport: Transport | null = null;
    // One that was given up may still report; only the current one counts.
    const isCurrent = () => this.#transport === transport;
    this.#transport = undefined;
    try {
      this.#transport = transport = this.#options.open(
        {
          opened: (isAhead = false) => isCurrent() && this.#reached(isAhead),
          received: (frame) => {
            if (this.#transport !== transport) return;
            this.#alive();
            this.#events.received(frame);
          },
          answered: (frames) => isCurrent() && this.#events.answered(frames),
          alive: () => isCurrent() && this.#alive(),
          lost: (code, reason) => isCurrent() && this.#lost(code, reason),
        },
        // What was lost before is lost again more easily, and then waits until it is known that the connection lives.
        offer(this.#name, ++this.#attempts, token, this.#opened === 0 ? this.#events.early() : undefined),
      );
    } catch (error) {
      // A browser throws where a page of https asks for ws.
      return this.#fail(String(error));
    }
    if (this.canProbe) this.#timer.set(this.#options.connectTimeoutMs, () => this.drop('it takes too long'));
  }

  /** Handles that the transport is open. What was lost before may be lost again: so that is tried first. */
  #reached(isAhead: boolean): void {
    if (this.#opened === 0 || !this.canProbe) return this.#ready(isAhead);
    this.#isProbed = true;
    this.probe();
  }

  #ready(isAhead = false): void {
    this.#timer.stop();
    this.#isProbed = false;
    this.#opened++;
    this.#setState('open');
    if (this.canProbe) {
      this.#beginWaking();
      this.#backoff.opened();
      this.#heartbeat?.start();
    }
    this.#events.opened(isAhead);
  }

  #alive(): void {
    if (this.#isProbed) this.#ready();
    if (this.#heartbeat !== undefined) this.#heartbeat.isHeard = true;
  }

  #lost(code: number, reason: string): void {
    const wasOpen = this.state === 'open';
    this.#lose(classifyLoss(code, reason, this.#options.description, wasOpen, this.canProbe), code);
  }

  /** Connects again after a loss, where that is of use; else rests, or is closed. */
  #lose(loss: Loss, code: number): void {
    const { error, wasOpen } = loss;
    const { reconnect, token } = this.#options;
    const isResumed = reconnect !== false && this.canProbe;
    // A new token is all that is missing, where there is somebody to ask for one; not where that has just been asked.
    const isExpired = error.code === 'EXPIRED';
    const isRenewed = isExpired && typeof token === 'function' && (wasOpen || !this.#wasExpired);
    this.#wasExpired = isExpired;
    const isRefused = !loss.isTemporary && !isRenewed;
    const isTemporary = !isRefused && isResumed;
    this.#leave(isTemporary ? 'reconnecting' : isRefused && isResumed ? 'closed' : 'idle', error);
    if (isTemporary) {
      this.#warn(error);
      this.#beginWaking();
      this.#timer.set(this.#backoff.next(code, error), () => this.#attempt());
    }
    this.#events.lost({ ...loss, isTemporary });
  }

  /** Warns that the first attempt has failed: else nobody would know before calls have waited for too long. */
  #warn({ message }: RpcError): void {
    const { maxWaitMs, onStateChange } = this.#options;
    if (!this.#isTold && this.#opened === 0 && maxWaitMs > 0 && onStateChange === undefined) {
      console.warn(`${message}: trying again; calls wait for ${maxWaitMs} ms (maxWaitMs)`);
    }
    this.#isTold = true;
  }

  #beginWaking(): void {
    this.#stopWaking ??= whenWorthATry((isOffline) => this.connect(isOffline));
  }

  /** Enters a state in which there is no transport, and lets go of it and of what waits. */
  #leave(state: ConnectionState, reason: RpcError | undefined, code = CLOSE_DROPPED): void {
    const transport = this.#transport;
    this.#transport = undefined;
    this.#isProbed = false;
    this.#timer.stop();
    this.#heartbeat?.stop();
    this.#stopWaking?.();
    this.#stopWaking = undefined;
    this.#setState(state, reason);
    transport?.close(code, '');
  }

  #setState(state: ConnectionState, reason?: RpcError): void {
    if (state === this.state && reason === this.reason) return;
    this.reason = reason;
    this.state = state;
    // Later: what the listener does, or throws, must find the session as it will be.
    for (const listener of this.#listeners) queueMicrotask(() => listener(state, reason));
  }
}

/** Lists what a client offers as subprotocols: the version, its own name and how often it has tried, its token, and its first calls. A page can say nothing else with an upgrade, and no log keeps it. */
export function offer(
  name: string,
  attempt: number,
  token: string | undefined,
  early: Message | undefined,
): readonly string[] {
  const offered = [SUBPROTOCOL, `${CLIENT_PREFIX}${name}.${attempt}`];
  if (token !== undefined) offered.push(TOKEN_PREFIX + toBase64Url(new TextEncoder().encode(token)));
  if (early !== undefined) offered.push(EARLY_SUBPROTOCOL, EARLY_PREFIX + toBase64Url(bytesOf(early)));
  offered.push(REFUSED_SUBPROTOCOL);
  return offered;
}

/** Makes a client's name: 128 random bits, in hexadecimal. A client makes one, and needs no store of them as servers have. */
export function newName(): string {
  const digits = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte | 256).toString(16).slice(1));
  return digits.join('');
}
