import {
  connectToFirstResult,
  getValueSequential,
  incrementClosedLoop,
  incrementInOneTurn,
  incrementSequential,
  inFlight,
  mixedSequential,
  WARM_UP,
} from './counter.ts';
import { fanOut } from './events.ts';
import { connectAuthenticateFirstResult, createSession, GATEWAY_WARM_UP, ping } from './gateway.ts';
import type { Scenario } from './scenario.ts';
import { CARRIER_SCENARIOS, chain, PIPELINE_SCENARIOS, SIZE_SCENARIOS } from './turns.ts';

/** Who hear of each session. */
const LISTENERS = 5;

// Each list in the order in which a launch measures it first: what most is said of comes before what time may not
// suffice for.

/** Calls of the counter. */
export const CALL_SCENARIOS: readonly Scenario[] = [
  incrementSequential('increment/sequential', 100),
  getValueSequential('getValue/sequential', 100),
  incrementInOneTurn('increment/one-turn-100', 100, 1),
  connectToFirstResult('connect/first-result', 5),
  mixedSequential('mixed/sequential', 50),
  inFlight('increment/in-flight', 'increment', 20, 5),
  inFlight('getValue/in-flight', 'getValue', 20, 5),
  incrementInOneTurn('increment/one-turn-1000', 1000, 1),
  incrementSequential('increment/sequential-1000', 1000),
  getValueSequential('getValue/sequential-1000', 1000),
];

/** Events, published one at a time and many in one turn, for so many subscribers of one object; those for one audience together. */
export const EVENT_SCENARIOS: readonly Scenario[] = [
  fanOut('events/to-1000', 1000, 2),
  fanOut('events/to-1000-burst', 1000, 1, 20),
  fanOut('events/to-100', 100, 10),
  fanOut('events/to-100-burst', 100, 1, 20),
  fanOut('events/to-1', 1, 40),
  fanOut('events/to-1-burst', 1, 3, 20),
];

/** What a gateway adds to each request: calls, connections and sessions, with everybody else told of them. */
export const LATENCY_SCENARIOS: readonly Scenario[] = [
  ping('latency/ping', 100),
  connectAuthenticateFirstResult('latency/connect-authenticate-first-result', 5),
  createSession('latency/create-session', 20, LISTENERS),
  createSession('latency/session-broadcast', 20, LISTENERS, true),
];

/** The same increments with one feature after the other. */
export const FEATURE_SCENARIOS: readonly Scenario[] = [
  incrementSequential('feature-cost/one-at-a-time', 100),
  incrementInOneTurn('feature-cost/one-turn-100', 100, 8),
];

/** Calls of the counter in blocks that are short, because every call waits for the network. */
export const REMOTE_SCENARIOS: readonly Scenario[] = [
  getValueSequential('remote/getValue', 3),
  incrementSequential('remote/increment', 3),
  incrementInOneTurn('remote/one-turn-100', 100, 1),
  connectToFirstResult('remote/connect', 1),
  chain('remote/chain-3', 2),
  inFlight('remote/20-in-flight', 'getValue', 20, 2),
];

/** Increments by so many connections, each with so many calls in flight: what most is said of first. */
export const THROUGHPUT_SCENARIOS: readonly Scenario[] = [
  incrementClosedLoop(20, 1, 500),
  incrementClosedLoop(20, 8, 800),
  incrementClosedLoop(20, 4, 800),
  incrementClosedLoop(20, 16, 1000),
  incrementClosedLoop(20, 2, 500),
];

/** Every timed scenario by its name, in the order in which tables show them. */
export const SCENARIOS: ReadonlyMap<string, Scenario> = new Map(
  [
    ...[...CALL_SCENARIOS, ...PIPELINE_SCENARIOS, ...CARRIER_SCENARIOS, ...SIZE_SCENARIOS, ...EVENT_SCENARIOS],
    ...[...LATENCY_SCENARIOS, ...FEATURE_SCENARIOS, ...REMOTE_SCENARIOS, ...THROUGHPUT_SCENARIOS],
  ].map((each) => [each.name, each]),
);

/** Returns the scenario called `name`, which may be that of a warm-up. */
export function scenarioNamed(name: string): Scenario {
  const scenario = [WARM_UP, GATEWAY_WARM_UP].find((each) => each.name === name) ?? SCENARIOS.get(name);
  if (!scenario) throw new Error(`no scenario is called ${name}`);
  return scenario;
}
