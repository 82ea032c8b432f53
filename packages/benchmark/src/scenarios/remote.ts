import { connectToFirstResult } from './first-result.ts';
import { getValueInFlight } from './in-flight.ts';
import { incrementInOneTurn } from './one-turn.ts';
import { chain } from './pipeline.ts';
import type { Scenario } from './scenario.ts';
import { getValueSequential, incrementSequential } from './sequential.ts';

/** Calls of the counter in blocks that are short, because every call waits for the network. */
export const REMOTE_SCENARIOS: readonly Scenario[] = [
  getValueSequential('remote/getValue', 3),
  incrementSequential('remote/increment', 3),
  incrementInOneTurn('remote/one-turn-100', 100, 1),
  connectToFirstResult('remote/connect', 1),
  chain('remote/chain-3', 2),
  getValueInFlight('remote/20-in-flight', 20, 2),
].map((scenario) => ({ ...scenario, family: 'links' }));
