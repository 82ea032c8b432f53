import { advice } from '../extensions/advice/index.ts';
import { earlyCalls } from '../extensions/early-calls/index.ts';
import { exactlyOnce } from '../extensions/exactly-once/index.ts';
import { heartbeat } from '../extensions/heartbeat/index.ts';
import { isolation } from '../extensions/isolation/index.ts';
import { mapping } from '../extensions/mapping/index.ts';
import { messageParts } from '../extensions/message-parts/index.ts';
import { references } from '../extensions/references/index.ts';
import { renewal } from '../extensions/renewal/index.ts';
import { streams } from '../extensions/streams/index.ts';
import { subscriptions } from '../extensions/subscriptions/index.ts';
import { webValues } from '../extensions/web-values/index.ts';
import type { URL } from '../protocol/platform-types.ts';
import { checkedOptions } from '../session/check-options.ts';
import { ownOptions } from '../session/limits.ts';
import type { OpenTransport } from '../transport/transport.ts';
import { webSocketTransport } from '../transport/websocket.ts';
import { openSession } from './open-session.ts';
import { absoluteUrl, type ConnectOptions, DEFAULTS, type StateListener } from './options.ts';
import type { Stub } from './types.ts';

/**
 * Returns a stub for the target behind a URL such as `wss://example.com/rpc/counter/main`. The stub can be used at
 * once: calls wait until the connection is open. In a page, the URL may be relative.
 * @throws {TypeError} if the URL is invalid, a limit is not a number of 0 or more, or the runtime lacks a global that
 * every connection uses
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type argument the stub takes any call, as untyped code expects
export function connect<Api extends object = any>(url: string | URL, options?: ConnectOptions): Stub<Api> {
  const all = withAll(options);
  const resolved = absoluteUrl(url, 'ws', 'connect');
  return openSession(webSocketTransport(resolved), resolved, all);
}

/** Returns a stub for the target behind your own transport. `description` names the destination in messages. */
export function connectOver<Api extends object>(
  open: OpenTransport,
  description: string,
  options?: ConnectOptions,
): Stub<Api> {
  return openSession(open, description, withAll(options));
}

const ALL = [
  advice,
  earlyCalls,
  exactlyOnce,
  heartbeat,
  isolation,
  mapping,
  messageParts,
  references,
  renewal,
  streams,
  subscriptions,
  webValues,
];

/**
 * Globals that every connection uses and some runtimes lack. docs/runtimes.md lists the globals that only some calls
 * and values need.
 */
const NEEDED =
  'crypto.getRandomValues FinalizationRegistry Promise.withResolvers TextDecoder TextEncoder URL.canParse btoa';

/**
 * Checks that the runtime has the globals that every connection uses.
 * @throws {TypeError} if one is missing; the message names it
 */
function checkRuntime(): void {
  // biome-ignore lint/suspicious/noExplicitAny: the type of a global that is looked up by name is not known
  const find = (path: string) => path.split('.').reduce<any>((at, name) => at?.[name], globalThis);
  const missing = NEEDED.split(' ').filter((path) => !find(path));
  if (missing.length > 0) throw new TypeError(`needs a polyfill: ${missing}`);
}

/**
 * Returns the given options with all extensions of the library added.
 * @throws {TypeError} if the runtime lacks a global that every connection uses
 */
function withAll(given?: ConnectOptions): ConnectOptions {
  checkRuntime();
  const options = checkedOptions(given);
  const { maxWaitMs = DEFAULTS.maxWaitMs, onStateChange = firstFailure(maxWaitMs), use = [] } = options;
  return ownOptions(options, { onStateChange, use: [...ALL, ...use] });
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
