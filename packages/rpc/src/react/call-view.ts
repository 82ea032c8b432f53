import { connectOver } from '../client/connect.ts';
import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_NORMAL } from '../protocol/errors.ts';
import type { OpenTransport } from '../transport/transport.ts';

/** A call and its outcome, as a component shows it. */
export interface CallView<Value, Shown = Value | undefined> {
  /** The result of the call, the last time that it succeeded; before that `initial`, or undefined. */
  readonly value: Shown;
  /** Error of the last time that it was made, if it failed; else undefined. Where the error is `retryable`, it is made again by itself. */
  readonly error: unknown;
  /** True while an answer is awaited. */
  readonly isPending: boolean;
  /** For React's `use`: suspends until there is a value, and throws where there will be none. It is the same until the value changes. */
  readonly promise: Promise<Value>;
  /** Makes the call again, and resolves with what it returns. Until then the value stays. */
  reload(): Promise<Value>;
}

/** A promise as React knows it: one with its outcome on it does not suspend. */
export type Settled<Value> = Promise<Value> & { status?: string; value?: Value; reason?: unknown };

/** Options for showing the result of a call. */
export interface UseCallOptions<Value> {
  /** The value until the call has returned one: what the server has rendered the page with. */
  readonly initial?: Value | undefined;
}

/** Returns what a component has on a server, where nothing is called. */
export function serverView<Value>({ initial }: UseCallOptions<Value>): CallView<Value> {
  const refuse = () => {
    const refused = Promise.reject<Value>(serverError());
    refused.catch(() => {}); // whoever uses it is told
    return refused;
  };
  const ask = () => (initial === undefined ? refuse() : fulfilled(Promise.resolve(initial), initial));
  return createView({ value: initial, error: undefined, isPending: true, reload: refuse }, ask);
}

/** Makes the view that a component has; `ask` begins the call where that has not begun. */
export function createView<Value>(
  state: Pick<CallView<Value>, 'value' | 'error' | 'isPending' | 'reload'>,
  ask: () => Promise<Value>,
): CallView<Value> {
  // Not enumerable: tools that look at all properties would begin the call.
  return Object.defineProperty({ ...state }, 'promise', { get: ask }) as CallView<Value>;
}

/** Marks a promise as fulfilled, for React. */
export function fulfilled<Value>(promise: Settled<Value>, value: Value): Settled<Value> {
  return Object.assign(promise, { status: 'fulfilled', value });
}

/** Returns true if a page is being rendered elsewhere, to be sent to a browser: there are no effects there, and nothing to connect for. */
export function isOnServer(): boolean {
  return (globalThis as { window?: unknown }).window === undefined;
}

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
