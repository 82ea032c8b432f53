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
import type { OpenTransport } from '../transport/transport.ts';
import { connect as connectCore, connectOver as connectCoreOver } from './core.ts';
import { type ConnectOptions, DEFAULTS, type StateListener } from './options.ts';
import type { Stub } from './types.ts';

/**
 * Returns a stub for the target behind a URL such as `wss://example.com/rpc/counter/main`, at once: calls wait until
 * the connection is open. In a page the URL may be relative to it.
 * @throws {TypeError} if the URL is invalid, a limit is not a number of 0 or more, or the runtime lacks what every
 * connection uses
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type the stub takes any call, as untyped code expects
export function connect<Api extends object = any>(url: string | URL, options?: ConnectOptions): Stub<Api> {
  return connectCore(url, withAll(options));
}

/** Returns a stub for the target behind your own transport; `description` says where it leads, for messages. */
export function connectOver<Api extends object>(
  open: OpenTransport,
  description: string,
  options?: ConnectOptions,
): Stub<Api> {
  return connectCoreOver(open, description, withAll(options));
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
 * Globals that every connection uses and some runtimes lack; docs/runtimes.md lists what some calls and values need
 * besides.
 */
const NEEDED =
  'crypto.getRandomValues FinalizationRegistry Promise.withResolvers TextDecoder TextEncoder URL.canParse btoa';

/** Throws a TypeError that names what the runtime lacks. */
function checkRuntime(): void {
  // biome-ignore lint/suspicious/noExplicitAny: what is there by a name is not known
  const find = (path: string) => path.split('.').reduce<any>((at, name) => at?.[name], globalThis);
  const missing = NEEDED.split(' ').filter((path) => !find(path));
  if (missing[0]) throw new TypeError(`needs a polyfill: ${missing}`);
}

/** Adds all extensions of the library to those of options. */
function withAll(options: ConnectOptions = {}): ConnectOptions {
  checkRuntime();
  const { maxWaitMs = DEFAULTS.maxWaitMs, onStateChange = firstFailure(maxWaitMs), use = [] } = options;
  return { ...options, onStateChange, use: [...ALL, ...use] };
}

/** Warns that the first attempt to connect has failed: else nobody would know before calls have waited for too long. */
function firstFailure(maxWaitMs: number): StateListener {
  let isTold = maxWaitMs === 0;
  return (state, reason) => {
    if (state === 'reconnecting' && !isTold) {
      console.warn(`${reason!.message}: trying again; calls wait for ${maxWaitMs} ms (maxWaitMs)`);
    }
    isTold ||= state === 'open' || state === 'reconnecting';
  };
}
