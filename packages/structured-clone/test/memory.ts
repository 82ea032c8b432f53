import { getHeapStatistics } from 'node:v8';
import { garbageCollector } from '@lumenize/hosts/garbage-collector';

export const collectGarbage = garbageCollector();

/** Bytes that objects and buffers of this thread take, those included that nothing uses any more. */
export function usedMemory(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

/** Returns how many bytes something takes at least, of a few times: what else goes on does not happen every time. */
export function memoryTaken(run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    // Else what the round before left would be freed in this one, and taken off.
    collectGarbage();
    const before = usedMemory();
    try {
      run();
    } catch {
      // What a refusal takes counts as well; that it is one is looked at elsewhere.
    }
    least = Math.min(least, usedMemory() - before);
  }
  return least;
}
