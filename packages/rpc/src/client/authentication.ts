import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_ABNORMAL } from '../protocol/close-codes.ts';
import type { Message } from '../protocol/message.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import { writeToken } from '../protocol/token.ts';
import type { CallTable } from '../session/outgoing/call-table.ts';
import { Timer } from '../session/timer.ts';
import type { Backlog } from './backlog.ts';
import { rejectWaiting, takeBack } from './kept-frames.ts';
import type { LinkOptions } from './link-options.ts';

/** What showing a new token needs of its session. */
interface AuthenticationHost {
  readonly options: Pick<LinkOptions, 'token'>;
  readonly backlog: Backlog;
  readonly link: {
    readonly isReady: boolean;
    /** Connects with a token that is asked for from now on; `dropped` is called where nothing comes of it. */
    again(): void;
    /** Gives the connection up, and makes another. */
    drop(code: number, reason: string): void;
    /** The same, and nothing of it goes on. */
    refuse(error: RpcError): void;
  };
  /** Sends a frame behind all that was called before. */
  sendBehind(frame: Message): void;
  /** Bounds how long calls wait from now on. */
  limitWaiting(): void;
  /** Sends what was called meanwhile. */
  release(): void;
}

/** A token that is good for less time, in milliseconds, is not renewed ahead: one that stays the same would be shown again and again. */
const SHORTEST_MS = 5000;

/** Shows the server new tokens over the connection that there is, one after the other. */
export class Authentication {
  readonly #host: AuthenticationHost;
  #pending: PromiseWithResolvers<void> | undefined;
  /** Whether the server has said that the old one has expired. */
  #isExpired = false;
  /** Whether calls wait until the server has answered: so they are made in order, and under the new identity. */
  isHolding = false;
  /** Until a new token is shown ahead of time. */
  readonly #renewal = new Timer();

  constructor(host: AuthenticationHost) {
    this.#host = host;
  }

  get isPending(): boolean {
    return this.#pending !== undefined;
  }

  /** Resolves when the server has taken a new token, be it with the next connection. */
  begin(): Promise<void> {
    if (this.#pending !== undefined) return this.#pending.promise;
    const pending = Promise.withResolvers<void>();
    this.#pending = pending;
    // Nobody may have asked for it.
    pending.promise.catch(() => {});
    const { link } = this.#host;
    if (link.isReady) this.#show(pending);
    else {
      this.#host.limitWaiting();
      link.again();
    }
    return pending.promise;
  }

  /** Takes back a frame that was refused: nothing of it ran, and with another token all of it will. Once more, and not for ever. */
  takeBack(table: CallTable, firstId: number): boolean {
    const frame = [...table.byFrame().keys()].find((each) => each.firstId === firstId);
    if (frame === undefined || frame.wasRefused) return false;
    takeBack(this.#host.backlog, frame);
    this.#host.limitWaiting();
    return true;
  }

  /** Told of what was refused because the token has expired: shows a new one, where the server waits for one over this connection. */
  expired({ data }: RpcError): void {
    if ((data as { renewable?: unknown } | undefined)?.renewable !== true) return;
    this.#isExpired = this.isHolding = true;
    this.begin();
  }

  /** Told what the server says to the token, or, unasked, for how long it is good. */
  answered(outcome: Outcome): void {
    const pending = this.#pending;
    if (outcome.ok) this.#renewWithin(outcome.value);
    if (pending === undefined) return;
    this.#pending = undefined;
    if (outcome.ok) pending.resolve();
    else if ((outcome.error as RpcError).code === 'METHOD_NOT_FOUND') {
      this.#drop('for a new token');
      this.begin().then(pending.resolve, pending.reject);
      return;
    } else {
      pending.reject(outcome.error);
      // Nothing goes on over the next connection: its token may be that of somebody else, who has called nothing of this.
      if (this.#isExpired) return this.#host.link.refuse(outcome.error as RpcError);
    }
    this.#isExpired = this.isHolding = false;
    this.#host.release();
  }

  /** The connection is gone: the next one begins with a new token. */
  lost(): void {
    this.#renewal.stop();
    this.#isExpired = this.isHolding = false;
  }

  opened(): void {
    this.#pending?.resolve();
    this.#pending = undefined;
  }

  /** There will be no other connection, or it takes too long. */
  dropped(error: RpcError): void {
    this.#renewal.stop();
    this.#pending?.reject(error);
    this.#pending = undefined;
  }

  /** The server's answer takes too long: the connection was given up, and what waited for it is. */
  waitedTooLong(table: CallTable, error: RpcError): void {
    rejectWaiting(this.#host.backlog, table, error);
    this.dropped(error);
  }

  /** Shows a new token in time, so that who only listens stays connected. At different times: those who connected together would all come at once. */
  #renewWithin(ms: unknown): void {
    this.#renewal.stop();
    if (typeof ms !== 'number' || ms < SHORTEST_MS || typeof this.#host.options.token !== 'function') return;
    this.#renewal.set(ms * (0.8 + 0.15 * Math.random()), () => void this.begin());
  }

  #show(pending: PromiseWithResolvers<void>): void {
    const { token } = this.#host.options;
    new Promise<string>((resolve) => resolve(typeof token === 'function' ? token() : token!))
      .then((given) => {
        if (!this.#isCurrent(pending)) return;
        const frame = writeToken(given);
        this.#host.sendBehind(frame);
        this.#host.limitWaiting();
        this.isHolding = true;
      })
      .catch((error) => {
        if (!this.#isCurrent(pending)) return;
        this.dropped(new RpcError('NOT_EXECUTED', `token() failed: ${error}`));
        if (this.#isExpired) this.#drop('without a new token');
      });
  }

  /** Whether it is still about the connection that it began with. */
  #isCurrent(pending: PromiseWithResolvers<void>): boolean {
    return this.#pending === pending && this.#host.link.isReady;
  }

  #drop(reason: string): void {
    this.#host.link.drop(CLOSE_ABNORMAL, reason);
  }
}
