import { all } from '@lumenize/structured-clone/messages';
import type { Client } from './client/client.ts';
import { clientOver } from './client/connect.ts';
import { absoluteUrl, type ConnectOptions } from './client/options.ts';
import { answersOver } from './peer/answers.ts';
import { stateless } from './peer/by-value.ts';
import { rejectSent } from './peer/reject-sent.ts';
import { type HttpOptions, httpTransport } from './transport/http.ts';
import type { URL } from './types/platform.ts';
import type { Stub } from './types/stub.ts';

export type { Received, RemoteMembers, RemotePromise, Sent, Stub } from './types/stub.ts';
export type { Recorded, Remote } from './types/value-kinds.ts';

/** Options for connecting over HTTP. */
export interface ConnectHttpOptions extends Omit<ConnectOptions, 'token'>, HttpOptions {}

/**
 * Returns a stub for the target behind a URL such as `https://example.com/rpc/counter/main`, whose calls are sent as
 * POST requests. The calls of a turn share one request, and there is one request at a time. Each request has a target
 * of its own, so that nothing can be passed by reference.
 * @throws {TypeError} if the URL is invalid
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type argument the stub takes any call, as untyped code expects
export function connectHttp<Api extends object = any>(url: string | URL, options: ConnectHttpOptions = {}): Stub<Api> {
  const resolved = absoluteUrl(url, 'http', 'connectHttp');
  const open = httpTransport(resolved, options, (...calls) => rejectSent(client, ...calls));
  // The token goes with each request, not with the connection.
  const withoutToken = { ...options, token: undefined } as ConnectOptions;
  const parts = { features: stateless, answering: answersOver, types: all };
  const client: Client = clientOver(open, resolved, withoutToken, parts);
  return client.root() as Stub<Api>;
}
