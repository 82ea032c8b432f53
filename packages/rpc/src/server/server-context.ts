import * as channels from '../session/channels/channels.ts';
import { ANSWERING, CHANNELS } from '../session/features.ts';
import * as answering from '../session/incoming/answering.ts';
import type { SharedLoad } from '../session/incoming/load.ts';
import { RECORDINGS } from '../session/incoming/run-recording.ts';
import { DEFAULT_RPC_LIMITS } from '../session/limits.ts';
import * as recorder from '../session/outgoing/recorder.ts';
import { RECORDER } from '../session/outgoing/recording-feature.ts';
import type { SessionSettings } from '../session/settings.ts';
import { sessionSettings } from '../session/settings.ts';
import { supportOptions } from './access/served-target.ts';
import { RateGates } from './limits/rate-gate.ts';
import { Refusals } from './limits/refusals.ts';
import type { Reauthenticate, RpcServerOptions } from './options.ts';

// A server has all parts from the beginning: nothing waits there for code.
ANSWERING.provide(answering);
CHANNELS.provide(channels);
RECORDER.provide(recorder);

/** What all sessions of an object share. */
export interface ServerContext {
  readonly settings: SessionSettings;
  readonly onError: NonNullable<RpcServerOptions['onError']>;
  readonly rates: RateGates;
  readonly load: SharedLoad;
  readonly refusals: Refusals;
  readonly reauthenticate: Reauthenticate | undefined;
}

export function createServerContext(options: RpcServerOptions): ServerContext {
  supportOptions();
  return {
    settings: sessionSettings({
      side: 'server',
      limits: { ...DEFAULT_RPC_LIMITS, ...options.limits },
      refuse: options.refuse ?? ['RegExp'],
      errorStacks: options.errorStacks ?? false,
      recordings: RECORDINGS,
      callReader: answering.createCallReader,
    }),
    onError: options.onError ?? (() => {}),
    rates: new RateGates(options.rateLimits),
    load: { calls: 0 },
    refusals: new Refusals(options.onRefused),
    reauthenticate: options.reauthenticate,
  };
}
