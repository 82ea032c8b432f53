import { all } from '@lumenize/structured-clone/messages';
import { checkOptions } from '../peer/check-options.ts';
import { everything } from '../peer/features.ts';
import type { Settings } from '../peer/options.ts';
import { settingsOf, withLimits } from '../peer/settings.ts';
import { ServerAnswers } from './answers.ts';
import { followCalls } from './context.ts';
import { callbacks } from './map.ts';
import type { ServerLimits, ServerOptions } from './server-options.ts';
import type { Session } from './session.ts';
import { Shared } from './shared.ts';
import { topics } from './topics/topics.ts';

const SERVER_LIMITS = {
  maxSubscriptions: 100,
  maxBytesInFlight: 33_554_432,
  maxObjectCallsInFlight: 10_000,
  maxConnections: 32_000,
};

/** The settings of a server's sessions, and the state that they share. */
export interface ServerSettings extends Settings {
  /** Limits on what clients may ask for. */
  readonly limits: Readonly<ServerLimits>;
  /** The state of all sessions of the object, or of the Worker. */
  readonly shared: Shared;
  /** True if the connection is a batch, which ends with its answers. */
  readonly isBatch: boolean;
}

/**
 * Returns the settings of a server's sessions. `settled` is told of calls that need no stored results any more.
 * @throws {TypeError} if an option is not valid
 */
export function serverSettings(given: ServerOptions, settled?: Settings['settled']): ServerSettings {
  const options = checkOptions(given);
  const { errorStacks, observe, refuse = ['RegExp'] } = options;
  const shared = new Shared(options);
  followCalls();
  const settings = settingsOf({
    features: [callbacks, ...everything, topics],
    answering: (peer) => new ServerAnswers(peer as Session),
    types: all,
    limits: withLimits<Partial<ServerLimits>>(SERVER_LIMITS, options.limits),
    stacks: errorStacks,
    refuse,
    onError: (error, method, call) => shared.error(error, method, call),
    settled,
    observe,
  });
  return { ...settings, limits: settings.limits as ServerLimits, shared, isBatch: false };
}
