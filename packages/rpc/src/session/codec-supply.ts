import type { Locate, PutTogether } from '@lumenize/structured-clone/demand';
import { BEYOND } from './features.ts';

/** Gives what puts the rarer types together. Throws `NotLoaded` where that is not there. */
export function rareTypes(): PutTogether {
  return BEYOND.part.RARE;
}

/**
 * Gives what adds paths to errors. Where that is not there errors stay as they are: whoever explains them to a caller needs
 * the same part of the library, and has what threw them tried again when that is loaded.
 */
export function locate(): Locate {
  return BEYOND.loaded?.located ?? ((error) => error);
}
