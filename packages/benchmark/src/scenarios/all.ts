import { connectToFirstResult } from './first-result.ts';
import { getValueInFlight, incrementInFlight } from './in-flight.ts';
import { incrementInOneTurn } from './one-turn.ts';
import type { Scenario } from './scenario.ts';
import { getValueSequential, incrementSequential, mixedSequential } from './sequential.ts';

// In the order in which a launch measures them first: what most is said of comes before what time may not suffice for.
const LIST = [
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

/** Every timed scenario by its name, in the order in which tables show them. */
export const SCENARIOS: ReadonlyMap<string, Scenario> = new Map(LIST.map((scenario) => [scenario.name, scenario]));

/** Returns the scenario called `name`. */
export function scenarioNamed(name: string): Scenario {
  const scenario = SCENARIOS.get(name);
  if (!scenario) throw new Error(`no scenario is called ${name}`);
  return scenario;
}
