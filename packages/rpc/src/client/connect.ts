import { all } from '@lumenize/structured-clone/messages';
import { answersOver } from '../peer/answers.ts';
import { checkOptions } from '../peer/check-options.ts';
import { everything } from '../peer/features.ts';
import { mapping } from '../peer/recording.ts';
import { type GivenSettings, settingsOf } from '../peer/settings.ts';
import type { OpenTransport } from '../transport/transport.ts';
import { webSocketTransport } from '../transport/websocket.ts';
import type { URL } from '../types/platform.ts';
import type { Stub } from '../types/stub.ts';
import { Client } from './client.ts';
import { absoluteUrl, type ConnectOptions, type StateListener, withDefaults } from './options.ts';
import { subscriptions } from './subscriptions.ts';

/**
 * Returns a stub for the target behind a URL such as `wss://example.com/rpc/counter/main`. The stub can be used at
 * once: calls wait until the connection is open. In a page, the URL may be relative.
 * @throws {TypeError} if the URL is invalid, or a limit is not a number of 0 or more
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type argument the stub takes any call, as untyped code expects
export function connect<Api extends object = any>(url: string | URL, options?: ConnectOptions): Stub<Api> {
  checkRuntime();
  const resolved = absoluteUrl(url, 'ws', 'connect');
  return connectOver(webSocketTransport(resolved), resolved, options);
}

/** Globals that connections use and some runtimes lack. docs/internals/runtimes.md lists those that only some values need. */
const NEEDED =
  'crypto.getRandomValues FinalizationRegistry Promise.withResolvers TextDecoder TextEncoder URL.canParse btoa';

/** @throws {TypeError} if the runtime lacks a global; the message names it */
function checkRuntime(): void {
  // biome-ignore lint/suspicious/noExplicitAny: the type of a global that is looked up by name is not known
  const find = (path: string) => path.split('.').reduce<any>((at, name) => at?.[name], globalThis);
  const missing = NEEDED.split(' ').filter((path) => !find(path));
  if (missing.length > 0) throw new TypeError(`needs a polyfill: ${missing}`);
}

/** Returns a stub for the target behind your own transport. `description` names the destination in messages. */
export function connectOver<Api extends object>(
  open: OpenTransport,
  description: string,
  options: ConnectOptions = {},
): Stub<Api> {
  const features = [mapping, ...everything, subscriptions];
  return clientOver(open, description, options, { features, answering: answersOver, types: all }).root() as Stub<Api>;
}

/** Returns the client of a connection that can do what its parts can. */
export function clientOver(
  open: OpenTransport,
  description: string,
  asked: ConnectOptions,
  parts: Pick<GivenSettings, 'features' | 'answering' | 'types'>,
): Client {
  const options = checkOptions(asked);
  const { limits, onError } = options;
  const { maxWaitMs = 10_000, onStateChange = firstFailure(maxWaitMs) } = options;
  const settings = settingsOf({ ...parts, limits, onError });
  const client = new Client(open, description, withDefaults({ ...options, onStateChange }), settings);
  options.observe?.(client, description);
  if (options.eager) client.connect();
  return client;
}

/**
 * Returns a listener that logs a warning if the first attempt to connect fails. Otherwise the failure would only show
 * when calls have waited for too long.
 */
function firstFailure(maxWaitMs: number): StateListener {
  let isTold = maxWaitMs === 0;
  return (state, reason) => {
    if (state === 'reconnecting' && !isTold) {
      console.warn(`${reason!.message}: trying again; calls wait for ${maxWaitMs} ms (maxWaitMs)`);
    }
    isTold ||= state === 'open' || state === 'reconnecting';
  };
}
