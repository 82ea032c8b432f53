import { RpcError } from '../../errors/rpc-error.ts';
import type { Message } from '../../protocol/message.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { writeToken } from '../../protocol/token.ts';
import type { Extension, TokenRenewal } from '../../session/extension.ts';
import { Timer } from '../../session/timer.ts';

/** The session whose token is renewed. */
interface Renewed {
  readonly options: { readonly token?: string | (() => string | Promise<string>) };
  readonly link: {
    readonly state: string;
    /** Connects again. */
    again(): void;
    /** Gives the connection up, for another one. */
    drop(why: string): void;
    /** Ends it for good. */
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

/** Shows the server a new token before the old one expires, or where it has, over the connection that there is. */
export const renewal: Extension = { name: 'renewal', renew: (session: object) => new Renewal(session as Renewed) };

/** Shows the server new tokens over the connection that there is, one after the other. */
class Renewal implements TokenRenewal {
  readonly #session: Renewed;
  #pending: PromiseWithResolvers<void> | undefined;
  /** True if the server has said that the old one has expired. */
  #isExpired = false;
  /** True while calls wait until the server has answered: so they are made in order, and under the new identity. */
  isHolding = false;
  /** Until a new token is shown ahead of time. */
  readonly #ahead = new Timer();

  constructor(session: Renewed) {
    this.#session = session;
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
    const { link } = this.#session;
    if (link.state === 'open') this.#show(pending);
    else {
      this.#session.limitWaiting();
      link.again();
    }
    return pending.promise;
  }

  /** Shows a new token, where the server waits for one over this connection: it has refused something because the old one has expired. */
  expired({ data }: RpcError): void {
    if ((data as { renewable?: unknown } | undefined)?.renewable !== true) return;
    this.#isExpired = this.isHolding = true;
    this.begin();
  }

  /** Takes the server's answer to the token, or, unasked, for how long it is good. */
  answered(outcome: Outcome): void {
    const pending = this.#pending;
    if (outcome.ok) this.#renewWithin(outcome.value);
    if (pending === undefined) return;
    this.#pending = undefined;
    if (outcome.ok) pending.resolve();
    else if ((outcome.error as RpcError).code === 'METHOD_NOT_FOUND') {
      this.#session.link.drop('for a new token');
      this.begin().then(pending.resolve, pending.reject);
      return;
    } else {
      pending.reject(outcome.error);
      // Nothing goes on over the next connection: its token may be that of somebody else, who has called nothing of this.
      if (this.#isExpired) return this.#session.link.refuse(outcome.error as RpcError);
    }
    this.#isExpired = this.isHolding = false;
    this.#session.release();
  }

  /** Ends what is about a connection that is gone: the next one begins with a new token. */
  lost(): void {
    this.#ahead.stop();
    this.#isExpired = this.isHolding = false;
  }

  /** Resolves for whoever waits: a connection has opened with a new token. */
  opened(): void {
    this.#pending?.resolve();
    this.#pending = undefined;
  }

  /** Rejects for whoever waits: there will be no other connection, or it takes too long. */
  ended(error: RpcError): void {
    this.#ahead.stop();
    this.#pending?.reject(error);
    this.#pending = undefined;
  }

  /** Shows a new token in time, so that who only listens stays connected. At different times: those who connected together would all come at once. */
  #renewWithin(ms: unknown): void {
    this.#ahead.stop();
    if (typeof ms !== 'number' || ms < SHORTEST_MS || typeof this.#session.options.token !== 'function') return;
    this.#ahead.set(ms * (0.8 + 0.15 * Math.random()), () => void this.begin());
  }

  async #show(pending: PromiseWithResolvers<void>): Promise<void> {
    const session = this.#session;
    const { token } = session.options;
    // It may be about another connection by now.
    const isCurrent = () => this.#pending === pending && session.link.state === 'open';
    try {
      const given = await (typeof token === 'function' ? token() : token!);
      if (!isCurrent()) return;
      session.sendBehind(writeToken(given));
      session.limitWaiting();
      this.isHolding = true;
    } catch (error) {
      if (!isCurrent()) return;
      this.ended(new RpcError('NOT_EXECUTED', `token() failed: ${error}`));
      if (this.#isExpired) session.link.drop('without a new token');
    }
  }
}
