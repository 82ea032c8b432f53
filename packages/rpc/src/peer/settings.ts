import { resolveLimits, type Types } from '@lumenize/structured-clone/messages';
import type { PeerLimits } from '../types/limits.ts';
import type { Settings } from './options.ts';

/** The defaults of the limits that both sides have. */
const LIMITS: PeerLimits = {
  maxMessageBytes: 33_554_432,
  maxObjects: 250_000,
  maxOperationsPerFrame: 10_000,
  maxCallsInFlight: 1000,
  maxReferences: 20_000,
  maxMapElements: 100_000,
  maxMapOperations: 1_000_000,
};

/** The settings of one side of a connection that have no default. */
export interface GivenSettings extends Omit<Settings, 'limits' | 'valueLimits' | 'stacks'> {
  readonly types: Types;
  readonly limits?: Partial<PeerLimits> | undefined;
  readonly stacks?: boolean | undefined;
}

/** Fills in the defaults. A limit of undefined counts as omitted, since no number would exceed it. */
export function settingsOf(given: GivenSettings): Settings {
  // What is left out has no value, whatever a page has given all objects.
  const own: GivenSettings = Object.assign(Object.create(null), given);
  const { features, answering, types, refuse, stacks = false, onError, observe, settled } = own;
  const limits = withLimits(LIMITS, own.limits);
  const { maxMessageBytes: maxBytes, maxObjects } = limits;
  const valueLimits = resolveLimits({ maxBytes, maxObjects });
  return { limits, features, answering, types, valueLimits, refuse, stacks, onError, observe, settled };
}

/** Returns limits with those that are given in place of their defaults. */
export function withLimits<Limits extends object>(defaults: Limits, given: Partial<Limits> = {}): Limits {
  const limits = { ...defaults };
  for (const name of Object.keys(given) as (keyof Limits)[]) limits[name] = given[name] ?? limits[name];
  return limits;
}
