import { advice } from '../extensions/advice/index.ts';
import { RECORDINGS } from '../extensions/mapping/run-recording.ts';
import { messageParts } from '../extensions/message-parts/index.ts';
import { references } from '../extensions/references/index.ts';
import { streams } from '../extensions/streams/index.ts';
import { webValues } from '../extensions/web-values/index.ts';
import type { Extension } from '../session/extension.ts';
import {
  CORE_LIMITS,
  REFERENCE_LIMITS,
  type RpcLimits,
  SERVER_LIMITS,
  STREAM_LIMITS,
  withDefaults,
} from '../session/limits.ts';
import { type SessionSettings, type SessionSettingsOptions, sessionSettings } from '../session/settings.ts';
import { locateRefused } from './access/refused-value.ts';
import { supportOptions } from './access/served-target.ts';
import { Gate } from './limits/gate.ts';
import { Rates } from './limits/rates.ts';
import type { Reauthenticate, RpcServerOptions, SharedContext } from './options.ts';
import { callHook, createErrorLog, Refusals } from './report.ts';
import { TOPICS } from './topics/subscriber.ts';
import type { Topics } from './topics/topics.ts';

/** Counts of the frames that an object's connections have received and sent since it woke. */
export interface Traffic {
  framesReceived: number;
  framesSent: number;
  bytesReceived: number;
  bytesSent: number;
}

/** Context that all sessions of an object share. */
export interface ServerContext extends SharedContext {
  readonly traffic: Traffic;
  readonly reauthenticate: Reauthenticate | undefined;
  /** Returns the topics of the object, made on first use; undefined without an object. */
  readonly topics: (() => Topics) | undefined;
}

/** Defaults of all limits. */
export const DEFAULT_RPC_LIMITS: Readonly<RpcLimits> = Object.freeze({
  ...CORE_LIMITS,
  ...REFERENCE_LIMITS,
  ...STREAM_LIMITS,
  ...SERVER_LIMITS,
});

/** Extensions that every server uses. */
const SERVED: readonly Extension[] = [advice, messageParts, references, streams, webValues, TOPICS];

/** Types refused in arguments by default. */
const REFUSED = ['RegExp'];

/** Makes the context that an object's sessions share. `topics` returns those of the object. */
export function createServerContext(options: RpcServerOptions, topics?: () => Topics): ServerContext {
  supportOptions();
  const rates = new Rates(options.rateLimits);
  const onError = options.onError ?? createErrorLog();
  return {
    settings: knownSettings({
      side: 'server',
      limits: withDefaults(DEFAULT_RPC_LIMITS, options.limits),
      refuse: options.refuse ?? REFUSED,
      errorStacks: options.errorStacks ?? false,
      recordings: RECORDINGS,
      locateError: locateRefused,
      extensions: options.use === undefined ? SERVED : [...SERVED, ...options.use],
    }),
    onError: (error, method, call) => callHook('onError', () => onError(error, method, call)),
    observer: options.observe,
    openGate: (waiting, caller, endTooFast) => new Gate(waiting, rates, caller, endTooFast),
    load: { calls: 0, succeeded: 0, failed: 0 },
    traffic: { framesReceived: 0, framesSent: 0, bytesReceived: 0, bytesSent: 0 },
    refusals: new Refusals(options.onRefused),
    reauthenticate: options.reauthenticate,
    topics,
  };
}

const known: { options: SessionSettingsOptions; settings: SessionSettings }[] = [];

/**
 * Returns the settings for some options, the same ones each time for equal options, so that a new object finds warm
 * code and memory.
 */
function knownSettings(options: SessionSettingsOptions): SessionSettings {
  const { limits, refuse, extensions, errorStacks } = options;
  const found = known.find(
    ({ options: other }) =>
      other.errorStacks === errorStacks &&
      (other.limits === limits || isSame(other.limits, limits)) &&
      (other.refuse === refuse || isSame(other.refuse, refuse)) &&
      (other.extensions === extensions || isSame(other.extensions, extensions)),
  );
  if (found !== undefined) return found.settings;
  const settings = sessionSettings(options);
  known.push({ options, settings });
  return settings;
}

/** Returns true if two lists, or two records, have the same properties. */
function isSame(one: object | undefined, other: object | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const values = Object.entries(one);
  return (
    values.length === Object.keys(other).length &&
    values.every(([name, value]) => (other as Record<string, unknown>)[name] === value)
  );
}
