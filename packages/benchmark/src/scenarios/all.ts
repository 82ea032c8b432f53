import { incrementClosedLoop } from './closed-loop.ts';
import { createSession } from './create-session.ts';
import { fanOut } from './events.ts';
import { featureInOneTurn, featureOneAtATime } from './features.ts';
import { connectToFirstResult } from './first-result.ts';
import { connectAuthenticateFirstResult, ping } from './gateway.ts';
import { GATEWAY_WARM_UP } from './gateway-warm-up.ts';
import { getValueInFlight, incrementInFlight } from './in-flight.ts';
import { incrementInOneTurn } from './one-turn.ts';
import { argumentReference, batch, callback, chain, map } from './pipeline.ts';
import { REMOTE_SCENARIOS } from './remote.ts';
import type { Scenario } from './scenario.ts';
import { getValueSequential, incrementSequential, mixedSequential } from './sequential.ts';
import { echoBytes, echoRows, read, streamDown, streamUp, write } from './transports.ts';
import { WARM_UP } from './warm-up.ts';

const KIB = 1024;
const MIB = KIB * KIB;
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
  incrementInFlight('increment/in-flight', 20, 5),
  getValueInFlight('getValue/in-flight', 20, 5),
  incrementInOneTurn('increment/one-turn-1000', 1000, 1),
  incrementSequential('increment/sequential-1000', 1000),
  getValueSequential('getValue/sequential-1000', 1000),
];

/** Calls that build on one another, and calls back. */
export const PIPELINE_SCENARIOS: readonly Scenario[] = [
  chain('pipeline/chain-3', 60),
  argumentReference('pipeline/argument', 60),
  batch('pipeline/batch-100', 100, 3),
  map('pipeline/map-100', 100, 10),
  callback('pipeline/callback', 40),
];

/** The same calls over everything that can carry them, `times` as many as usual in a block. */
export function carrierScenarios(times: number): Scenario[] {
  return [
    read('call/getValue', 60 * times),
    write('call/increment', 40 * times),
    echoRows('call/echo-rows-20', 20, 40 * times),
  ];
}

export const CARRIER_SCENARIOS: readonly Scenario[] = carrierScenarios(1);

/** Large values and streams. */
export const SIZE_SCENARIOS: readonly Scenario[] = [
  echoRows('echo/rows-200', 200, 30),
  echoBytes('echo/bytes-64KiB', 64 * KIB, 20),
  echoBytes('echo/bytes-1MiB', MIB, 4),
  streamDown('stream/down-64KiB', 16, 64 * KIB, 4),
  streamUp('stream/up-64KiB', 16, 64 * KIB, 4),
  echoBytes('echo/bytes-16MiB', 16 * MIB, 1),
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
  featureOneAtATime('feature-cost/one-at-a-time', 100),
  featureInOneTurn('feature-cost/one-turn-100', 100, 8),
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
    ...[...LATENCY_SCENARIOS, ...FEATURE_SCENARIOS, ...REMOTE_SCENARIOS],
    ...THROUGHPUT_SCENARIOS,
  ].map((each) => [each.name, each]),
);

/** Untimed work: of the counter, and of gateways. */
const WARM_UPS: readonly Scenario[] = [WARM_UP, GATEWAY_WARM_UP];

/** Returns the scenario called `name`, which may be that of a warm-up. */
export function scenarioNamed(name: string): Scenario {
  const scenario = WARM_UPS.find((each) => each.name === name) ?? SCENARIOS.get(name);
  if (!scenario) throw new Error(`no scenario is called ${name}`);
  return scenario;
}
