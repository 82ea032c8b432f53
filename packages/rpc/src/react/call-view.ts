import { connectOver } from '../client/connect.ts';
import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_NORMAL } from '../protocol/close-codes.ts';
import type { OpenTransport } from '../transport/transport.ts';

/** A call and what has become of it, as a component shows it. */
export interface CallView<Value, Shown = Value | undefined> {
  /** The result of the call, the last time that it succeeded; before that `initial`, or undefined. */
  readonly value: Shown;
  /** Why it has failed, the last time that it was made; else undefined. Where the error is `retryable`, it is made again by itself. */
  readonly error: unknown;
  /** True while an answer is awaited. */
  readonly isPending: boolean;
  /** For React's `use`: suspends until there is a value, and throws where there will be none. It is the same until the value changes. */
  readonly promise: Promise<Value>;
  /** Makes the call again, and resolves with what it returns. Until then the value stays. */
  reload(): Promise<Value>;
}

/** A promise as React knows it: one that says what it has come to does not suspend. */
export type Settled<Value> = Promise<Value> & { status?: string; value?: Value; reason?: unknown };

/** The value that a page was rendered with on the server, where it was. */
export interface Initial<Value> {
  readonly initial?: Value | undefined;
}

/** Returns what a component has on a server, where nothing is called. */
export function serverView<Value>({ initial }: Initial<Value>): CallView<Value> {
  const refuse = () => {
    const refused = Promise.reject<Value>(serverError());
    refused.catch(() => {}); // whoever uses it is told
    return refused;
  };
  const ask = () => (initial === undefined ? refuse() : fulfilled(Promise.resolve(initial), initial));
  return new View(initial, undefined, true, refuse, ask);
}

/** The view that a component has. The promise is no property of its own: tools that look at those would begin the call. */
export class View<Value> implements CallView<Value> {
  readonly value: Value | undefined;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly reload: () => Promise<Value>;
  readonly #ask: () => Promise<Value>;

  constructor(
    value: Value | undefined,
    error: unknown,
    isPending: boolean,
    reload: () => Promise<Value>,
    ask: () => Promise<Value>,
  ) {
    this.value = value;
    this.error = error;
    this.isPending = isPending;
    this.reload = reload;
    this.#ask = ask;
  }

  get promise(): Promise<Value> {
    return this.#ask();
  }
}

/** Marks a promise as fulfilled, for React. */
export function fulfilled<Value>(promise: Settled<Value>, value: Value): Settled<Value> {
  return Object.assign(promise, { status: 'fulfilled', value });
}

/** Returns true if a page is being rendered elsewhere, to be sent to a browser: there are no effects there, and nothing to connect for. */
export function isOnServer(): boolean {
  return (globalThis as { window?: unknown }).window === undefined;
}

/** Why nothing is called there. */
function serverError(): RpcError {
  const message =
    'a component does not call while it is rendered on a server: call in an effect or event, or give useCall() a value as `initial`';
  return new RpcError('NOT_EXECUTED', message);
}

/** Makes what components have for a stub there: it never connects, and its calls reject. */
export function serverStub(url: string | URL): object {
  return connectOver(refuse, String(url));
}

const refuse: OpenTransport = (events) => {
  const { code, message } = serverError();
  setTimeout(() => events.lost(CLOSE_NORMAL, `${code}: ${message}`));
  return { send() {}, close() {} };
};
