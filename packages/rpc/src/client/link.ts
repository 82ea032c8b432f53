import type { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_ABNORMAL, CLOSE_DROPPED, CLOSE_NORMAL } from '../protocol/close-codes.ts';
import type { Message } from '../protocol/message.ts';
import { Timer } from '../session/timer.ts';
import type { Transport } from '../transport/transport.ts';
import type { ConnectionState, LinkOptions, Loss } from './link-options.ts';
import { offer } from './offer.ts';
import { refuse } from './refusals.ts';
import { Upkeep } from './upkeep.ts';

/** What a link reports to. */
export interface LinkHost {
  /** Whether calls are in flight, or wait. */
  readonly isWaiting: boolean;
  stateChanged(state: ConnectionState, reason: RpcError | undefined): void;
  /** What can go with the request that opens a connection, for the server to read ahead; undefined where there is nothing. */
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
  readonly #options: LinkOptions;
  readonly #host: LinkHost;
  /** Watches connections, and says when to make them again. */
  readonly #upkeep: Upkeep;
  /** Tells the server that connections are of the same client. */
  #name: string | undefined;
  /** Tells it which of them is the newest: upgrades overtake each other where one was held up. */
  #attempts = 0;
  #state: ConnectionState = 'idle';
  #reason: RpcError | undefined;
  #transport: Transport | undefined;
  /** Until the next attempt, or until the one under way has taken too long. */
  readonly #timer = new Timer();
  #isProbed = false;
  #opened = 0;
  #isFinal = false;

  constructor(options: LinkOptions, host: LinkHost) {
    this.#options = options;
    this.#host = host;
    this.#upkeep = new Upkeep(this, options);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Whether what is sent has somewhere to go. */
  get isReady(): boolean {
    return this.#state === 'open';
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
      this.#attempt();
    } else this.wake();
  }

  get isWaiting(): boolean {
    return this.#host.isWaiting;
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
    const loss = { error, wasOpen: true, mayHaveRun: true, isBlamed: true, isTemporary: true };
    this.#ended(loss, CLOSE_NORMAL);
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
    const transport = this.#transport;
    this.#stop();
    this.#setState('idle', this.#reason);
    transport?.close(CLOSE_DROPPED, '');
  }

  /** Ends it for good. */
  close(): void {
    const transport = this.#transport;
    this.#isFinal = true;
    this.#stop();
    this.#setState('closed');
    transport?.close(CLOSE_NORMAL, '');
  }

  /** Tries at once what waits for its time, unless there is no network; an open connection is asked whether it lives. */
  wake(isOffline = false): void {
    if (this.#state === 'open') return this.canProbe ? this.#upkeep.ask() : undefined;
    if (isOffline || this.#transport !== undefined || this.#state === 'idle' || this.#state === 'closed') return;
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

  /** An attempt could not even begin. */
  #fail(reason: string): void {
    refuse(
      () => this.#lost(CLOSE_NORMAL, reason),
      (job) => this.#timer.set(0, job),
    );
  }

  #start(token: string | undefined): void {
    // Not before: a Worker may ask for random numbers only while it handles something.
    this.#name ??= newName();
    let transport: Transport | undefined;
    // One that was given up may still report; only the current one counts.
    const isCurrent = () => transport !== undefined && this.#transport === transport;
    this.#transport = undefined;
    try {
      this.#transport = transport = this.#options.open(
        {
          opened: (isAhead = false) => isCurrent() && this.#reached(isAhead),
          received: (frame) => isCurrent() && this.#received(frame),
          answered: (frames) => isCurrent() && this.#host.answered(frames),
          alive: () => isCurrent() && this.#alive(),
          lost: (code, reason) => isCurrent() && this.#lost(code, reason),
        },
        // What was lost before is lost again more easily, and then waits until it is known that the connection lives.
        offer(this.#name, ++this.#attempts, token, this.#opened === 0 ? this.#host.early() : undefined),
      );
    } catch (error) {
      // A browser throws where a page of https asks for ws.
      return this.#fail(String(error));
    }
    if (this.canProbe)
      this.#timer.set(this.#options.connectTimeoutMs, () => this.drop(CLOSE_ABNORMAL, 'it takes too long'));
  }

  /** The transport says that it is open. What was lost before may be lost again: so that is tried first. */
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
    if (this.canProbe) this.#upkeep.opened();
    this.#host.opened(isAhead);
  }

  #received(frame: Message): void {
    this.#alive();
    this.#host.received(frame);
  }

  #alive(): void {
    if (this.#isProbed) this.#ready();
    this.#upkeep.heard();
  }

  #lost(code: number, reason: string): void {
    const wasOpen = this.#state === 'open';
    this.#ended(this.#upkeep.lossOf(code, reason, wasOpen, this.canProbe), code);
  }

  /** Does what is to be done about a loss. */
  #ended(given: Loss, code: number): void {
    const { loss, state, delayMs } = this.#upkeep.judge(given, code, this.canProbe);
    const { error, isBlamed, isTemporary } = loss;
    const transport = this.#transport;
    this.#stop();
    if (isBlamed) transport?.close(CLOSE_DROPPED, '');
    if (isTemporary) {
      this.#upkeep.begin();
      this.#timer.set(delayMs, () => this.#attempt());
    }
    this.#setState(state, error);
    this.#host.lost(loss);
  }

  /** What cannot be probed is not watched either: there the next call connects again. */
  get canProbe(): boolean {
    return this.#transport?.probe !== undefined;
  }

  /** Lets go of the transport and of all timers. */
  #stop(): void {
    this.#timer.stop();
    this.#upkeep.stop();
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

/** Makes a client's name: 128 random bits, in hexadecimal. A client makes one, and needs no store of them as servers have. */
function newName(): string {
  const digits = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte | 256).toString(16).slice(1));
  return digits.join('');
}
