import { malformedFrame } from './malformed.ts';

/** Property paths are walked step by step, so that a length has to be bounded. */
export const MAX_PATH = 64;

/** Checks a property path. */
export function readPath(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length > MAX_PATH || !value.every((name) => typeof name === 'string')) {
    throw malformedFrame(`a path is a list of up to ${MAX_PATH} names`);
  }
  return value;
}
