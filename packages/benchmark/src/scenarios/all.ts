import * as counter from './counter.ts';
import { EVENT_SCENARIOS } from './events.ts';
import { GATEWAY_WARM_UP, LATENCY_SCENARIOS } from './gateway.ts';
import type { Scenario } from './scenario.ts';
import { CARRIER_SCENARIOS, chain, PIPELINE_SCENARIOS, SIZE_SCENARIOS } from './turns.ts';

/** Calls of the counter in short blocks, because every call waits for the network. */
export const REMOTE_SCENARIOS: readonly Scenario[] = [
  counter.sequential('remote/getValue', 3, 'getValue'),
  counter.sequential('remote/increment', 3, 'increment'),
  counter.incrementInOneTurn('remote/one-turn-100', 100, 1),
  counter.connectToFirstResult('remote/connect', 1),
  chain('remote/chain-3', 2),
  counter.inFlight('remote/20-in-flight', 'getValue', 20, 2),
];

/** Every timed scenario by its name, in the order of tables. */
export const SCENARIOS: ReadonlyMap<string, Scenario> = new Map(
  [
    ...[...counter.CALL_SCENARIOS, ...PIPELINE_SCENARIOS, ...CARRIER_SCENARIOS, ...SIZE_SCENARIOS, ...EVENT_SCENARIOS],
    ...[...LATENCY_SCENARIOS, ...counter.FEATURE_SCENARIOS, ...REMOTE_SCENARIOS, ...counter.THROUGHPUT_SCENARIOS],
  ].map((each) => [each.name, each]),
);

/** Returns the scenario called `name`, which may be that of a warm-up. */
export function scenarioNamed(name: string): Scenario {
  const scenario = [counter.WARM_UP, GATEWAY_WARM_UP].find((each) => each.name === name) ?? SCENARIOS.get(name);
  if (!scenario) throw new Error(`no scenario is called ${name}`);
  return scenario;
}
