import type { Writing } from './write.ts';

export function explain(error: unknown, _root: unknown, _writing: Writing): unknown {
  return error;
}
