import { RECORDINGS } from '../extensions/mapping/run-recording.ts';
import { references } from '../extensions/references/index.ts';
import { streams } from '../extensions/streams/index.ts';
import { webValues } from '../extensions/web-values/index.ts';
import type { Message } from '../protocol/message.ts';
import type { Extension } from '../session/extension.ts';
import { DEFAULT_RPC_LIMITS } from '../session/limits.ts';
import { sessionSettings } from '../session/settings.ts';
import { withDefaults } from '../session/with-defaults.ts';
import { supportOptions } from './access/served-target.ts';
import { RateGates } from './limits/rates.ts';
import type { Reauthenticate, RpcServerOptions, SharedContext } from './options.ts';
import { createErrorLog, Refusals, tell } from './report.ts';
import { TOPICS } from './topics/subscriber.ts';

/** Shared by all sessions of an object. */
export interface ServerContext extends SharedContext {
  readonly traffic: Traffic;
  readonly reauthenticate: Reauthenticate | undefined;
}

/** What servers have. */
const SERVED: readonly Extension[] = [references, streams, webValues, TOPICS];

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
    traffic: new Traffic(),
    refusals: new Refusals(options.onRefused),
    reauthenticate: options.reauthenticate,
  };
}

/** Counts what the connections of an object have sent and received, since it woke. */
export class Traffic {
  framesReceived = 0;
  framesSent = 0;
  bytesReceived = 0;
  bytesSent = 0;

  received({ length }: Message): void {
    this.framesReceived++;
    this.bytesReceived += length;
  }

  /** Counts a frame that was sent to so many clients. */
  sent({ length }: Message, times = 1): void {
    this.framesSent += times;
    this.bytesSent += length * times;
  }
}
