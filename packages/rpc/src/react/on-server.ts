import { connectOver } from '../client/connect.ts';
import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_NORMAL } from '../protocol/close-codes.ts';
import type { OpenTransport } from '../transport/transport.ts';

/** Whether a page is being rendered elsewhere, to be sent to a browser: there are no effects there, and nothing to connect for. */
export function isOnServer(): boolean {
  return (globalThis as { window?: unknown }).window === undefined;
}

/** Why nothing is called there. */
export function serverError(): RpcError {
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
