import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_ABNORMAL, CLOSE_DROPPED, CLOSE_NORMAL, isOverload, lossOf } from '../protocol/close-codes.ts';
import { randomName } from '../protocol/random-name.ts';
import { Timer } from '../session/timer.ts';
import type { OpenTransport, Transport } from '../transport/transport.ts';
import { Backoff, type BackoffOptions } from './backoff.ts';
import { Heartbeat, type HeartbeatOptions } from './heartbeat.ts';
import { offer } from './offer.ts';
import { whenWorthATry } from './wake.ts';

/**
 * The state of a connection: `idle` before the first call, and after a loss where it is not made again by itself;
 * `connecting` for the first time; `reconnecting` after a loss, or after an attempt that failed; `closed` by `close()`, or because
 * it was refused for good.
 */
export type ConnectionState = 'idle' | 'connecting' | 'open' | 'reconnecting' | 'closed';

/** What makes a connection again, and again. */
export interface LinkOptions {
  open: OpenTransport;
  /** Where it leads, for messages. */
  description: string;
  token: string | (() => string | Promise<string>) | undefined;
  reconnect: boolean | BackoffOptions;
  heartbeat: false | HeartbeatOptions;
  /** How long an attempt may take, in milliseconds. */
  connectTimeoutMs: number;
}

/** What became of a connection, or of an attempt to make one. */
export interface Loss {
  readonly error: RpcError;
  /** Whether it had been open. */
  readonly wasOpen: boolean;
  /** Whether what was sent over it can have run. */
  readonly mayHaveRun: boolean;
  /** Whether what was sent is to blame, and would have the same effect again. */
  readonly isBlamed: boolean;
  /** Whether there will be another attempt. */
  readonly isTemporary: boolean;
}

/** What a link reports to. */
export interface LinkHost {
  /** Whether calls are in flight, or wait. */
  readonly isWaiting: boolean;
  stateChanged(state: ConnectionState, reason: RpcError | undefined): void;
  /** What can go with the request that opens a connection, for the server to read ahead; undefined where there is nothing. */
  early(): Uint8Array | undefined;
  /** Frames can be sent; `isAhead` where the server has taken what was early. */
  opened(isAhead: boolean): void;
  received(frame: Uint8Array): void;
  lost(loss: Loss): void;
}

/** What a URL looks like, for messages. */
export const EXAMPLE_URL = 'ws://localhost:8787/rpc/<binding>/<instance>';

/**
 * A client's way to its server, over one transport after another: connects, notices when a connection is dead, and connects
 * again. Frames are sent while it is open, and only then.
 */
export class Link {
  readonly #options: LinkOptions;
  readonly #host: LinkHost;
  readonly #backoff: Backoff;
  readonly #heartbeat: Heartbeat | undefined;
  /** Tells the server that connections are of the same client. */
  #name: string | undefined;
  /** Tells it which of them is the newest: upgrades overtake each other where one was held up. */
  #attempts = 0;
  #state: ConnectionState = 'idle';
  #reason: RpcError | undefined;
  #transport: Transport | undefined;
  /** Until the next attempt, or until the one under way has taken too long, or until an open connection is stable. */
  readonly #timer = new Timer();
  #isProbed = false;
  #opened = 0;
  #isFinal = false;
  #stopWaking: (() => void) | undefined;

  constructor(options: LinkOptions, host: LinkHost) {
    const { reconnect, heartbeat } = options;
    this.#options = options;
    this.#host = host;
    this.#backoff = new Backoff(typeof reconnect === 'object' ? reconnect : {});
    if (heartbeat === false) return;
    const watched = {
      get isWaiting() {
        return host.isWaiting;
      },
      probe: () => this.#transport?.probe?.(),
      dead: () => this.drop(CLOSE_ABNORMAL, 'no sign of life'),
    };
    this.#heartbeat = new Heartbeat(watched, heartbeat);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Why there is no connection, where there is none. */
  get reason(): RpcError | undefined {
    return this.#reason;
  }

  /** How often a connection was made again. */
  get reconnects(): number {
    return Math.max(0, this.#opened - 1);
  }

  /** Whether it was closed here, and will not open again. */
  get isFinal(): boolean {
    return this.#isFinal;
  }

  /** Connects now, where it is not under way and was not closed. */
  connect(): void {
    if (this.#state === 'idle' || (this.#state === 'closed' && !this.#isFinal)) {
      this.#setState('connecting');
      this.#stopWaking = whenWorthATry(() => this.#wake());
      this.#attempt();
    } else this.#wake();
  }

  send(frame: Uint8Array<ArrayBuffer>): void {
    this.#transport!.send(frame);
  }

  /** Gives up a connection over which came what makes no sense. */
  refuse(error: RpcError): void {
    this.#failed({ error, wasOpen: true, mayHaveRun: true, isBlamed: true, isTemporary: true }, CLOSE_NORMAL);
  }

  /** Connects with a token that is asked for from now on: an attempt that is under way has asked before. */
  again(): void {
    const transport = this.#transport;
    this.#transport = undefined;
    this.#isProbed = false;
    transport?.close(CLOSE_DROPPED, '');
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
    if (this.#opened > 0 || this.#state === 'closed') return;
    this.#stop();
    this.#setState('idle', this.#reason);
  }

  /** Ends it for good. */
  close(): void {
    const transport = this.#transport;
    this.#isFinal = true;
    this.#stop();
    this.#setState('closed');
    transport?.close(CLOSE_NORMAL, '');
  }

  /** Tries at once what waits for its time; an open connection is asked whether it lives. */
  #wake(): void {
    if (this.#state === 'open') return this.#heartbeat?.ask();
    if (this.#transport !== undefined || this.#state === 'idle' || this.#state === 'closed') return;
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
      (error) => isAsked() && this.#lost(CLOSE_NORMAL, `NOT_EXECUTED: token() failed: ${error}`),
    );
  }

  #start(token: string | undefined): void {
    // Not before: a Worker may ask for random numbers only while it handles something.
    this.#name ??= randomName();
    let transport: Transport | undefined;
    // One that was given up may still report; only the current one counts.
    const isCurrent = () => transport !== undefined && this.#transport === transport;
    this.#transport = undefined;
    try {
      this.#transport = transport = this.#options.open(
        {
          opened: (isAhead = false) => isCurrent() && this.#reached(isAhead),
          received: (frame) => isCurrent() && this.#received(frame),
          alive: () => isCurrent() && this.#alive(),
          lost: (code, reason) => isCurrent() && this.#lost(code, reason),
        },
        // What was lost before is lost again more easily, and then waits until it is known that the connection lives.
        offer(this.#name, ++this.#attempts, token, this.#opened === 0 ? this.#host.early() : undefined),
      );
    } catch (error) {
      // A browser throws where a page of https asks for ws.
      return this.#lost(CLOSE_NORMAL, String(error));
    }
    if (transport.probe === undefined) return;
    this.#timer.set(this.#options.connectTimeoutMs, () => this.drop(CLOSE_ABNORMAL, 'it takes too long'));
  }

  /** The transport says that it is open. What was lost before may be lost again: so that is tried first. */
  #reached(isAhead: boolean): void {
    if (this.#opened === 0 || this.#transport!.probe === undefined) return this.#ready(isAhead);
    this.#isProbed = true;
    this.#transport!.probe();
  }

  #ready(isAhead = false): void {
    this.#timer.stop();
    this.#isProbed = false;
    this.#opened++;
    if (this.#transport!.probe !== undefined) {
      this.#timer.set(this.#backoff.stableMs, () => this.#backoff.reset());
      this.#heartbeat?.start();
    }
    this.#setState('open');
    this.#host.opened(isAhead);
  }

  #received(frame: Uint8Array): void {
    this.#alive();
    this.#host.received(frame);
  }

  #alive(): void {
    if (this.#isProbed) this.#ready();
    this.#heartbeat?.heard();
  }

  #lost(code: number, reason: string): void {
    const wasOpen = this.#state === 'open';
    const { description } = this.#options;
    const message = wasOpen
      ? `lost ${description}`
      : `${description} cannot be reached: is the Worker running, and is the URL like ${EXAMPLE_URL}?`;
    const { error, ...loss } = lossOf(code, reason);
    this.#failed(
      { ...loss, wasOpen, error: error ?? new RpcError('NOT_EXECUTED', `${message} (${code} ${reason})`) },
      code,
    );
  }

  #failed(loss: Loss, code: number): void {
    const { reconnect, token } = this.#options;
    const transport = this.#transport;
    this.#stop();
    if (loss.isBlamed) transport?.close(CLOSE_DROPPED, '');
    // A new token is all that is missing, where there is somebody to ask for one.
    const isRefused =
      !loss.isTemporary && !(loss.error.code === 'EXPIRED' && loss.wasOpen && typeof token === 'function');
    // What cannot be probed is not watched either: there the next call connects again.
    const isResumed = reconnect !== false && transport?.probe !== undefined;
    const isTemporary = !isRefused && isResumed;
    this.#reason = loss.error;
    if (isTemporary) {
      this.#stopWaking = whenWorthATry(() => this.#wake());
      this.#timer.set(this.#backoff.next(isOverload(code, loss.error)), () => this.#attempt());
      this.#setState('reconnecting', loss.error);
    } else this.#setState(isRefused && isResumed ? 'closed' : 'idle', loss.error);
    this.#host.lost({ ...loss, isTemporary });
  }

  /** Lets go of the transport and of all timers. */
  #stop(): void {
    this.#timer.stop();
    this.#heartbeat?.stop();
    this.#stopWaking?.();
    this.#stopWaking = undefined;
    this.#transport = undefined;
    this.#isProbed = false;
  }

  #setState(state: ConnectionState, reason?: RpcError): void {
    this.#reason = reason;
    if (state === this.#state && reason === undefined) return;
    this.#state = state;
    this.#host.stateChanged(state, reason);
  }
}
