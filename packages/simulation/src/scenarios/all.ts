import * as access from './access.ts';
import * as delivery from './delivery.ts';
import * as identities from './identities.ts';
import * as limits from './limits.ts';
import { clientOptions, serverOptions, topicOptions } from './options.ts';
import * as references from './references.ts';
import type { Stage } from './stage.ts';
import * as streams from './streams.ts';
import * as topics from './topics.ts';

/** A short program with random numbers, whose outcome is known exactly. */
export type Scenario = (stage: Stage) => Promise<void>;

/** The scenarios by the part of the library that they test, and by name. */
export const AREAS: Readonly<Record<string, Readonly<Record<string, Scenario>>>> = {
  access,
  delivery,
  identities,
  limits,
  options: { clientOptions, serverOptions, topicOptions },
  references,
  streams,
  topics,
};

const ALL: Readonly<Record<string, Scenario>> = Object.assign({}, ...Object.values(AREAS));

/** Scenarios that are known to fail, and are not run with the others. The rows are those of issue 33. */
export const KNOWN_SCENARIOS: Readonly<Record<string, { readonly row: number; readonly says: RegExp }>> = {};

/** Returns a scenario, also one that is known to fail. */
export function scenarioOf(name: string): Scenario {
  return ALL[name];
}

/** All scenarios that hold, by name. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = Object.fromEntries(
  Object.entries(ALL).filter(([name]) => !Object.hasOwn(KNOWN_SCENARIOS, name)),
);
