import { isMapping } from '../../protocol/recording.ts';
import { Feature } from '../feature.ts';
import { Call } from './call.ts';
import type { Node } from './node.ts';

/** Recording callbacks of `map` and `filter`. */
export const RECORDER = new Feature('map and filter', () => import('./recorder.ts'));

/** Whether a call is one of `map` or `filter` on a result, whose callback is to be recorded. */
export function isRecorded({ base, path }: Node, args: unknown[]): boolean {
  return isMapping(path.at(-1)) && typeof args[0] === 'function' && (path.length > 1 || base instanceof Call);
}
