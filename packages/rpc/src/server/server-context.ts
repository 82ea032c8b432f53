import type { CloneError } from '@lumenize/structured-clone';
import { RpcError } from '../errors/rpc-error.ts';
import { advice } from '../extensions/advice/index.ts';
import { RECORDINGS } from '../extensions/mapping/run-recording.ts';
import { messageParts } from '../extensions/message-parts/index.ts';
import { references } from '../extensions/references/index.ts';
import { streams } from '../extensions/streams/index.ts';
import { webValues } from '../extensions/web-values/index.ts';
import { RESENT } from '../protocol/tags.ts';
import { checkedOptions } from '../session/check-options.ts';
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
import { supportOptions } from './access/served-target.ts';
import { Gate } from './limits/gate.ts';
import { Rates } from './limits/rates.ts';
import type { Reauthenticate, RpcServerOptions, SharedContext } from './options.ts';
import { callHook, createErrorLog, Refusals } from './report.ts';
import { type NamedTopics, TOPICS } from './topics/subscriber.ts';

/** The same, with what only the library's own sessions share. */
export interface ServerContext extends SharedContext {
  /** Counts of what an object's connections have received and sent since it woke. */
  readonly traffic: Record<'framesReceived' | 'framesSent' | 'bytesReceived' | 'bytesSent', number>;
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
export function createServerContext(given: RpcServerOptions, topics?: () => NamedTopics): ServerContext {
  supportOptions();
  const options = checkedOptions(given);
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

/** Most settings that are kept. An application needs few, unless its objects make their extensions anew. */
const MAX_KNOWN = 16;

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
    if (known.push(found) > MAX_KNOWN) known.shift();
  }
  return found.settings;
}

/**
 * Adds to the error for a value that is not accepted which argument of which method holds it, and where. `text` is the
 * frame, and `at` the place of its entry. If the frame is sent again, `text` is that of the message around it. Returns
 * any other error unchanged.
 */
export function locateRefused(error: unknown, text: string, at: number): unknown {
  const { message } = error as CloneError;
  const [, name] = /^(?:class )?(\S+) is not accepted/.exec(message) ?? [];
  if (name === undefined) return error;
  // Read again, because the reader replaces what it has read.
  const read = JSON.parse(text);
  const entries = read[0] === RESENT ? read[3] : read;
  // It is not known yet to be an operation.
  const [, path, args] = Object.values(entries[at].$);
  return new RpcError('NOT_CLONEABLE', `${[path].flat().at(-1)}(): at argument ${placeIn(args, name)}: ${message}`);
}

/**
 * Returns the path to the first value of a type or class in a tree with marks; undefined if there is none. Inside of a
 * mark, such as that of a Map, the path is that in its content.
 */
function placeIn(tree: unknown, name: string, path?: string): string | undefined {
  if (typeof tree !== 'object' || tree === null) return undefined;
  let fields = tree;
  const [key, ...others] = Array.isArray(tree) ? [] : Object.keys(tree);
  if (key?.[0] === '$' && others.length === 0) {
    fields = (tree as Record<string, object | null>)[key] ?? [];
    if (key === `$${name}` || (key === '$class' && (fields as unknown[])[0] === name)) return path;
  }
  // Keys of a long list or text, as text, would take a hundred times its bytes.
  if (typeof fields !== 'object') return undefined;
  for (const [key, item] of Array.isArray(fields) ? fields.entries() : Object.entries(fields)) {
    const step = Array.isArray(fields) ? `[${key}]` : `.${key}`;
    const place = placeIn(item, name, path === undefined ? `${key}` : path + step);
    if (place !== undefined) return place;
  }
  return undefined;
}
