import type { World } from '../world.ts';

const POLL_MS = 10;

/** Waits until a condition holds, or until the time is over: a check will then find the fault. */
export async function until(world: World, holds: () => boolean, longestMs: number): Promise<void> {
  const end = world.now() + longestMs;
  while (!holds() && world.now() < end) await world.sleep(POLL_MS);
}
