import { advice } from '../extensions/advice/index.ts';
import { RECORDINGS } from '../extensions/mapping/run-recording.ts';
import { references } from '../extensions/references/index.ts';
import { streams } from '../extensions/streams/index.ts';
import { webValues } from '../extensions/web-values/index.ts';
import type { Extension } from '../session/extension.ts';
import { DEFAULT_RPC_LIMITS, withDefaults } from '../session/limits.ts';
import { sessionSettings } from '../session/settings.ts';
import { supportOptions } from './access/served-target.ts';
import { RateGates } from './limits/rates.ts';
import type { Reauthenticate, RpcServerOptions, SharedContext } from './options.ts';
import { createErrorLog, Refusals, tell } from './report.ts';
import { TOPICS } from './topics/subscriber.ts';

/** Counts of what the connections of an object have sent and received, since it woke. */
export interface Traffic {
  framesReceived: number;
  framesSent: number;
  bytesReceived: number;
  bytesSent: number;
}

/** Shared by all sessions of an object. */
export interface ServerContext extends SharedContext {
  readonly traffic: Traffic;
  readonly reauthenticate: Reauthenticate | undefined;
}

/** What servers have. */
const SERVED: readonly Extension[] = [advice, references, streams, webValues, TOPICS];

export function createServerContext(options: RpcServerOptions): ServerContext {
  supportOptions();
  const onError = options.onError ?? createErrorLog();
  return {
    settings: sessionSettings({
      side: 'server',
      limits: withDefaults(DEFAULT_RPC_LIMITS, options.limits),
      refuse: options.refuse ?? ['RegExp'],
      errorStacks: options.errorStacks ?? false,
      recordings: RECORDINGS,
      extensions: options.use === undefined ? SERVED : [...SERVED, ...options.use],
    }),
    onError: (error, method, call) => tell('onError', () => onError(error, method, call)),
    observer: options.observe,
    rates: new RateGates(options.rateLimits),
    load: { calls: 0, succeeded: 0, failed: 0 },
    traffic: { framesReceived: 0, framesSent: 0, bytesReceived: 0, bytesSent: 0 },
    refusals: new Refusals(options.onRefused),
    reauthenticate: options.reauthenticate,
  };
}
