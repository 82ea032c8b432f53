import * as access from './access.ts';
import * as delivery from './delivery.ts';
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
  limits,
  options: { clientOptions, serverOptions, topicOptions },
  references,
  streams,
  topics,
};

/** All scenarios, by name. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = Object.assign({}, ...Object.values(AREAS));
