import type { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_ABNORMAL, CLOSE_DROPPED, CLOSE_NORMAL } from '../protocol/errors.ts';
import type { Message } from '../protocol/message.ts';
import { Timer } from '../session/timer.ts';
import type { Transport } from '../transport/transport.ts';
import { Heartbeat, whenWorthATry } from './heartbeat.ts';
import { Backoff, classifyLoss, type Loss } from './loss.ts';
import { newName, offer } from './offer.ts';
import type { ClientOptions, ConnectionState, StateListener } from './options.ts';
import { refuse } from './refusals.ts';

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
  /** Why there is no connection, where there is none. */
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
  /** Until an open connection is stable. */
  readonly #stable = new Timer();
  #stopWaking: (() => void) | undefined;
  #isProbed = false;
  /** True if the last connection, or attempt, ended because the token had expired. */
  #wasExpired = false;
  /** True if there was a connection, or somebody was told that there is none. */
  #isKnown = false;

  constructor(options: ClientOptions, events: LinkEvents) {
    const { reconnect, heartbeat } = options;
    this.#options = options;
    this.#events = events;
    this.#backoff = new Backoff(typeof reconnect === 'object' ? reconnect : {});
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

  /** Connects now, where it is not under way and was not closed. */
  connect(): void {
    if (this.state === 'idle' || (this.state === 'closed' && !this.isFinal)) {
      this.#setState('connecting');
      this.#attempt();
    } else this.wake();
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
    this.#ended({ error, wasOpen: true, mayHaveRun: true, isBlamed: true, isTemporary: true }, CLOSE_NORMAL);
  }

  /** Connects with a token that is asked for from now on: an attempt that is under way has asked before. */
  again(): void {
    this.#stop()?.close(CLOSE_DROPPED, '');
    this.connect();
  }

  /** Gives the connection up, as one that was lost. */
  drop(code: number, reason: string): void {
    const transport = this.#transport;
    this.#lost(code, reason);
    transport?.close(CLOSE_DROPPED, '');
  }

  /** Stops trying, where nobody waits: the next call begins again. */
  rest(): void {
    if (this.#opened === 0 && this.state !== 'closed') this.#end('idle', CLOSE_DROPPED, this.reason);
  }

  /** Ends it for good. */
  close(): void {
    this.isFinal = true;
    this.#end('closed', CLOSE_NORMAL);
  }

  /** Tries at once what waits for its time, unless there is no network; an open connection is asked whether it lives. */
  wake(isOffline = false): void {
    if (this.state === 'open') return this.canProbe ? this.#heartbeat?.ask() : undefined;
    if (isOffline || this.#transport !== undefined || this.state === 'idle' || this.state === 'closed') return;
    this.#timer.stop();
    this.#attempt();
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
    if (this.canProbe)
      this.#timer.set(this.#options.connectTimeoutMs, () => this.drop(CLOSE_ABNORMAL, 'it takes too long'));
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
      this.#isKnown = true;
      this.#beginWaking();
      this.#stable.set(this.#backoff.stableMs, () => this.#backoff.reset());
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
    this.#ended(classifyLoss(code, reason, this.#options.description, wasOpen, this.canProbe), code);
  }

  /** Connects again after a loss, where that is of use; else rests, or is closed. */
  #ended(loss: Loss, code: number): void {
    const { error, wasOpen, isBlamed } = loss;
    const { reconnect, token } = this.#options;
    const isResumed = reconnect !== false && this.canProbe;
    // A new token is all that is missing, where there is somebody to ask for one; not where that has just been asked.
    const isExpired = error.code === 'EXPIRED';
    const isRenewed = isExpired && typeof token === 'function' && (wasOpen || !this.#wasExpired);
    this.#wasExpired = isExpired;
    const isRefused = !loss.isTemporary && !isRenewed;
    const isTemporary = !isRefused && isResumed;
    const transport = this.#stop();
    if (isBlamed) transport?.close(CLOSE_DROPPED, '');
    if (isTemporary) {
      this.#tell(loss);
      this.#beginWaking();
      this.#timer.set(this.#backoff.next(code, error), () => this.#attempt());
      this.#setState('reconnecting', error);
    } else this.#setState(isRefused && isResumed ? 'closed' : 'idle', error);
    this.#events.lost({ ...loss, isTemporary });
  }

  /** Warns that the first attempt has failed: else nobody would know before calls have waited for too long. */
  #tell({ error, wasOpen }: Loss): void {
    const { maxWaitMs, onStateChange } = this.#options;
    if (!this.#isKnown && !wasOpen && maxWaitMs > 0 && onStateChange === undefined) {
      console.warn(`${error.message}: trying again; calls wait for ${maxWaitMs} ms (maxWaitMs)`);
    }
    this.#isKnown = true;
  }

  #beginWaking(): void {
    this.#stopWaking ??= whenWorthATry((isOffline) => this.wake(isOffline));
  }

  /** Lets go of all timers and of the transport, which it returns. */
  #stop(): Transport | undefined {
    const transport = this.#transport;
    this.#transport = undefined;
    this.#isProbed = false;
    this.#timer.stop();
    this.#stable.stop();
    this.#heartbeat?.stop();
    this.#stopWaking?.();
    this.#stopWaking = undefined;
    return transport;
  }

  #end(state: ConnectionState, code: number, reason?: RpcError): void {
    const transport = this.#stop();
    this.#setState(state, reason);
    transport?.close(code, '');
  }

  #setState(state: ConnectionState, reason?: RpcError): void {
    this.reason = reason;
    if (state === this.state && reason === undefined) return;
    this.state = state;
    // Later: what the listener does, or throws, must find the session as it will be.
    for (const listener of this.#listeners) queueMicrotask(() => listener(state, reason));
  }
}
