import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Returns what collects all garbage at once, also in a Node that was started without a flag for it. */
export function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
