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
  const limits = { ...LIMITS };
  for (const [name, value] of Object.entries(given.limits ?? {})) {
    if (value !== undefined) limits[name as keyof PeerLimits] = value;
  }
  const { maxMessageBytes: maxBytes, maxObjects } = limits;
  const { stacks = false } = given;
  const valueLimits = resolveLimits({ maxBytes, maxObjects });
  // What is left out has no value, whatever a page has given all objects.
  return Object.assign(Object.create(null), given, { limits, stacks, valueLimits });
}
