import type { Position } from './types/topic.ts';

/** Returns true if a value is a position. */
export function isPosition(value: unknown): value is Position {
  return Array.isArray(value) && typeof value[0] === 'string' && Number.isSafeInteger(value[1]) && value[1] >= 0;
}

/** Returns the life of a topic that an epoch `life.run` belongs to. Numbers begin anew with each life. */
export function lifeOf(epoch: string): string {
  return epoch.split('.')[0];
}
