import { connect } from '../client/connect.ts';
import { absoluteUrl, type ConnectOptions } from '../client/options.ts';
import type { ClientSession } from '../client/session.ts';
import { nodeOf } from '../session/outgoing/node.ts';
import { Shared } from './shared.ts';

/** The options of a component's last rendering. */
export interface LatestOptions {
  current: ConnectOptions;
}

/** The connections of a page, by what they were asked for with. */
const connections = new Map<string, SharedConnection>();

/** Returns the connection that components share who ask for the same, by its key. It connects with the first call. */
export function sharedConnection(key: string, url: string | URL, options: ConnectOptions): SharedConnection {
  const known = connections.get(key);
  if (known?.isUsable) return known;
  const made = new SharedConnection(key, url, options);
  connections.set(key, made);
  return made;
}

/**
 * Returns what connections are compared by: the URL and the options that are data. Functions are not compared, since most are
 * made anew whenever a component renders; but a token that is asked for is another one than none.
 */
export function connectionKey(url: string | URL, options: ConnectOptions): string {
  const { eager, wrapTransport, observe, token, ...others } = options;
  const data = Object.entries(others).filter(([, value]) => value !== undefined && typeof value !== 'function');
  return JSON.stringify([absoluteUrl(url, 'ws', 'connect'), typeof token === 'function' ? true : token, data.sort()]);
}

/** A connection, and the components that use it. */
export class SharedConnection extends Shared<LatestOptions> {
  readonly stub: object;
  readonly #key: string;
  readonly #session: ClientSession;
  /** Of the component that has rendered first. */
  readonly #options: ConnectOptions;

  constructor(key: string, url: string | URL, options: ConnectOptions) {
    super();
    this.#key = key;
    this.#options = options;
    const { token } = options;
    this.stub = connect<object>(url, {
      ...options,
      // Not while a component renders, which may come to nothing.
      eager: false,
      token: typeof token === 'function' ? () => this.#token() : token,
      onStateChange: (...change) => this.#all().forEach(({ onStateChange }) => void onStateChange?.(...change)),
      onError: (...error) => this.#all().forEach(({ onError }) => void onError?.(...error)),
    });
    this.#session = nodeOf(this.stub)!.owner as ClientSession;
  }

  /** True if a component may have it: a connection that a component has closed stays closed for those who use it, and for no others. */
  get isUsable(): boolean {
    return this.users.size > 0 || !this.#session.link.isFinal;
  }

  override retain(user: LatestOptions): () => void {
    const release = super.retain(user);
    if (user.current.eager && this.#session.link.state === 'idle') this.#session.link.connect();
    return release;
  }

  protected override get isBusy(): boolean {
    return this.#session.isWaiting && !this.#session.link.isFinal;
  }

  protected override end(): void {
    if (connections.get(this.#key) === this) connections.delete(this.#key);
    this.#session.close();
  }

  #token(): string | Promise<string> {
    const token = this.#all().at(-1)!.token!;
    return typeof token === 'function' ? token() : token;
  }

  #all(): ConnectOptions[] {
    return this.users.size > 0 ? Array.from(this.users, ({ current }) => current) : [this.#options];
  }
}
