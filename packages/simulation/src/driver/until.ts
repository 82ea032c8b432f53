import type { World } from '../world.ts';

const POLL_MS = 10;

/** Waits until something holds, or too long: then it will be found wrong. */
export async function until(world: World, holds: () => boolean, longestMs: number): Promise<void> {
  const end = world.now() + longestMs;
  while (!holds() && world.now() < end) await world.sleep(POLL_MS);
}
