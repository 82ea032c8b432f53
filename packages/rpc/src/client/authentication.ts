import { RpcError } from '../errors/rpc-error.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import type { LinkOptions } from './link.ts';

/** What showing a new token needs of its session. */
interface AuthenticationHost {
  readonly token: LinkOptions['token'];
  readonly isOpen: boolean;
  /** Sends a token behind all that was called before; throws where it is none. */
  show(token: string): void;
  /** Connects with a token that is asked for from now on; `dropped` is called where nothing comes of it. */
  connect(): void;
  /** Gives the connection up, and makes another. */
  drop(reason: string): void;
  /** Sends what was called meanwhile. */
  release(): void;
}

/** Shows the server new tokens over the connection that there is, one after the other. */
export class Authentication {
  readonly #host: AuthenticationHost;
  #pending: PromiseWithResolvers<void> | undefined;
  /** Whether the server has said that the old one has expired. */
  #isExpired = false;
  /** Whether calls wait until the server has answered: so they are made in order, and under the new identity. */
  isHolding = false;

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
    if (this.#host.isOpen) this.#show(pending);
    else this.#host.connect();
    return pending.promise;
  }

  /** Told that a call was refused, which can be made again with a new token. */
  expired(): void {
    this.#isExpired = this.isHolding = true;
    this.begin();
  }

  /** Told what the server says to the token. */
  answered(outcome: Outcome): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    this.#pending = undefined;
    if (outcome.ok) pending.resolve();
    else if ((outcome.error as RpcError).code === 'METHOD_NOT_FOUND') {
      this.#host.drop('for a new token');
      this.begin().then(pending.resolve, pending.reject);
      return;
    } else {
      pending.reject(outcome.error);
      // The server ends the connection, and what waits is for the next one.
      if (this.#isExpired) return;
    }
    this.#isExpired = this.isHolding = false;
    this.#host.release();
  }

  /** The connection is gone: the next one begins with a new token. */
  lost(): void {
    this.#isExpired = this.isHolding = false;
  }

  opened(): void {
    this.#pending?.resolve();
    this.#pending = undefined;
  }

  /** There will be no other connection, or it takes too long. */
  dropped(error: RpcError): void {
    this.#pending?.reject(error);
    this.#pending = undefined;
  }

  #show(pending: PromiseWithResolvers<void>): void {
    const { token } = this.#host;
    new Promise<string>((resolve) => resolve(typeof token === 'function' ? token() : token!))
      .then((given) => {
        if (!this.#isCurrent(pending)) return;
        this.#host.show(given);
        this.isHolding = true;
      })
      .catch((error) => {
        if (!this.#isCurrent(pending)) return;
        this.dropped(new RpcError('NOT_EXECUTED', `token() failed: ${error}`));
        if (this.#isExpired) this.#host.drop('without a new token');
      });
  }

  /** Whether it is still about the connection that it began with. */
  #isCurrent(pending: PromiseWithResolvers<void>): boolean {
    return this.#pending === pending && this.#host.isOpen;
  }
}
