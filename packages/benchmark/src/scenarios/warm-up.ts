import type { Scenario } from './scenario.ts';
import { mixedSequential } from './sequential.ts';

const CALLS = mixedSequential('warm-up', 15);
const BURST_CALLS = 25;

/** Untimed work: calls one at a time, by whose times steadiness is judged, and then a burst. */
export const WARM_UP: Scenario = {
  ...CALLS,
  increments: CALLS.increments + BURST_CALLS,
  async measure(bench, samplesMs) {
    const totalMs = await CALLS.measure(bench, samplesMs);
    await bench.connection.incrementInOneTurn(BURST_CALLS);
    return totalMs;
  },
};
