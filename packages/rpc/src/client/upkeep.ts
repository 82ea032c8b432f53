import { RpcError } from '../errors/rpc-error.ts';
import { isOverload, lossOf } from '../protocol/loss.ts';
import { Timer } from '../session/timer.ts';
import { Backoff } from './backoff.ts';
import { Heartbeat } from './heartbeat.ts';
import { EXAMPLE_URL, type LinkOptions, type Loss, type Verdict } from './link-options.ts';
import { whenWorthATry } from './wake.ts';

/** What upkeep needs of the link whose connections it looks after. */
interface Kept {
  /** Whether calls are in flight, or wait. */
  readonly isWaiting: boolean;
  /** Asks the other side for a sign of life. */
  probe(): void;
  /** Gives the connection up. */
  drop(code: number, reason: string): void;
  /** It is worth a try to connect, or to see whether the connection still lives. */
  wake(isOffline: boolean): void;
}

/** Watches a client's connections, and says what is to be done when one is lost. */
export class Upkeep {
  readonly #kept: Kept;
  readonly #options: LinkOptions;
  readonly #backoff: Backoff;
  readonly #heartbeat: Heartbeat | undefined;
  /** Until an open connection is stable. */
  readonly #stable = new Timer();
  #stopWaking: (() => void) | undefined;
  /** Whether there was a connection, or somebody was told that there is none. */
  #isKnown = false;
  /** Whether the last connection, or attempt, ended because the token had expired. */
  #wasExpired = false;

  constructor(kept: Kept, options: LinkOptions) {
    const { reconnect, heartbeat } = options;
    this.#kept = kept;
    this.#options = options;
    this.#backoff = new Backoff(typeof reconnect === 'object' ? reconnect : {});
    this.#heartbeat = heartbeat === false ? undefined : new Heartbeat(kept, heartbeat);
  }

  /** Begins to look when it is worth a try. */
  begin(): void {
    this.#stopWaking ??= whenWorthATry((isOffline) => this.#kept.wake(isOffline));
  }

  /** Begins to watch a connection that has opened. */
  opened(): void {
    this.#isKnown = true;
    this.begin();
    this.#stable.set(this.#backoff.stableMs, () => this.#backoff.reset());
    this.#heartbeat?.start();
  }

  /** Notes a sign of life. */
  heard(): void {
    this.#heartbeat?.heard();
  }

  /** Asks an open connection whether it lives. */
  ask(): void {
    this.#heartbeat?.ask();
  }

  stop(): void {
    this.#stable.stop();
    this.#heartbeat?.stop();
    this.#stopWaking?.();
    this.#stopWaking = undefined;
  }

  /** Says what a close means for a connection, or for an attempt to make one; without `canProbe` the transport itself says so. */
  lossOf(code: number, reason: string, wasOpen: boolean, canProbe: boolean): Loss {
    const { description } = this.#options;
    const message = wasOpen
      ? `lost ${description}`
      : `${description} cannot be reached: is the Worker running, without an error in its log, and is the URL like ${EXAMPLE_URL}?`;
    const { error, isRefused, ...loss } = lossOf(code, reason, !wasOpen || !canProbe);
    return {
      ...loss,
      wasOpen,
      // Over an attempt that failed nothing was sent, but over connections before it.
      mayHaveRun: !(wasOpen && isRefused),
      error: error ?? new RpcError('NOT_EXECUTED', `${message} (${code}${reason && ` ${reason}`})`),
    };
  }

  /** Says what is to be done about a loss; without `canProbe` nothing is known of whether a connection lives. */
  judge(loss: Loss, code: number, canProbe: boolean): Verdict {
    const { error, wasOpen } = loss;
    const { reconnect, token } = this.#options;
    // A new token is all that is missing, where there is somebody to ask for one; not where that has just been asked.
    const isExpired = error.code === 'EXPIRED';
    const isRefused =
      !loss.isTemporary && !(isExpired && typeof token === 'function' && (wasOpen || !this.#wasExpired));
    this.#wasExpired = isExpired;
    const isResumed = reconnect !== false && canProbe;
    const isTemporary = !isRefused && isResumed;
    if (isTemporary) this.#tell(loss);
    const ended = isRefused && isResumed ? 'closed' : 'idle';
    return {
      loss: { ...loss, isTemporary },
      state: isTemporary ? 'reconnecting' : ended,
      delayMs: isTemporary ? this.#backoff.next(isOverload(code, error)) : 0,
    };
  }

  /** Says that the first attempt has failed: else nobody would know before calls have waited for too long. */
  #tell({ error, wasOpen }: Loss): void {
    const { maxWaitMs, onStateChange } = this.#options;
    if (!this.#isKnown && !wasOpen && maxWaitMs > 0 && onStateChange === undefined) {
      console.warn(`${error.message}: trying again; calls wait for ${maxWaitMs} ms (maxWaitMs)`);
    }
    this.#isKnown = true;
  }
}
