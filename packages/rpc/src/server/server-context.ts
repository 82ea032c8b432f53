import type { SharedLoad } from '../session/incoming/load.ts';
import { RECORDINGS } from '../session/incoming/run-recording.ts';
import { DEFAULT_RPC_LIMITS } from '../session/limits.ts';
import type { SessionSettings } from '../session/settings.ts';
import { sessionSettings } from '../session/settings.ts';
import { supportOptions } from './access/served-target.ts';
import { RateGates } from './limits/rate-gate.ts';
import { Refusals } from './limits/refusals.ts';
import type { Reauthenticate, RpcServerOptions } from './options.ts';

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
    }),
    onError: options.onError ?? (() => {}),
    rates: new RateGates(options.rateLimits),
    load: { calls: 0 },
    refusals: new Refusals(options.onRefused),
    reauthenticate: options.reauthenticate,
  };
}
