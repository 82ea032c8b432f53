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
import { type SessionSettings, sessionSettings } from '../session/settings.ts';
import { locateRefused } from './access/refused-value.ts';
import { supportOptions } from './access/served-target.ts';
import { Gate } from './limits/gate.ts';
import { Rates } from './limits/rates.ts';
import type { Reauthenticate, RpcServerOptions, SharedContext } from './options.ts';
import { callHook, createErrorLog, Refusals } from './report.ts';
import { type NamedTopics, TOPICS } from './topics/subscriber.ts';

/** Counts of the frames that an object's connections have received and sent since it woke. */
export interface Traffic {
  framesReceived: number;
  framesSent: number;
  bytesReceived: number;
  bytesSent: number;
}

/** The same, with what only the library's own sessions share. */
export interface ServerContext extends SharedContext {
  readonly traffic: Traffic;
  readonly reauthenticate: Reauthenticate | undefined;
  /** Returns the topics of the object, made on first use; undefined without an object. */
  readonly topics: (() => NamedTopics) | undefined;
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
export function createServerContext(options: RpcServerOptions, topics?: () => NamedTopics): ServerContext {
  supportOptions();
  const rates = new Rates(options.rateLimits);
  const onError = options.onError ?? createErrorLog();
  return {
    settings: knownSettings(options),
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

const known: { made: readonly unknown[]; settings: SessionSettings }[] = [];

/**
 * Returns the settings for some options, the same ones each time for equal options, so that a new object finds warm
 * code and memory.
 */
function knownSettings({ limits: given, refuse = REFUSED, errorStacks = false, use = [] }: RpcServerOptions) {
  const limits = withDefaults(DEFAULT_RPC_LIMITS, given);
  const made = [errorStacks, ...Object.entries(limits).flat(), ...refuse, ...use];
  let found = known.find((each) => each.made.length === made.length && each.made.every((one, at) => one === made[at]));
  if (found === undefined) {
    const extensions = [...SERVED, ...use];
    const settings = sessionSettings({
      side: 'server',
      limits,
      refuse,
      errorStacks,
      recordings: RECORDINGS,
      locateError: locateRefused,
      extensions,
    });
    found = { made, settings };
    known.push(found);
  }
  return found.settings;
}
