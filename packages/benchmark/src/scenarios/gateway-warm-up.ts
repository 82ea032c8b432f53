import { createSession } from './create-session.ts';
import { ping } from './gateway.ts';
import type { Scenario } from './scenario.ts';

const CALLS = ping('warm-up/gateway', 60);
const SESSIONS = createSession('warm-up/sessions', 5, 1);

/**
 * Untimed work of a gateway, which has code of its own: calls one at a time, by whose times steadiness is judged, and then
 * sessions. Without it a library that the counter has warmed up would be ahead of what is written by hand.
 */
export const GATEWAY_WARM_UP: Scenario = {
  ...CALLS,
  ownObject: true,
  async measure(bench, samplesMs) {
    const totalMs = await CALLS.measure(bench, samplesMs);
    await SESSIONS.measure(bench, []);
    return totalMs;
  },
};
