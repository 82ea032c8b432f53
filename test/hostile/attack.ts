import { expect } from 'vitest';
import { Extended, sequence } from '../../packages/rpc/test/support/frames.ts';
import * as f from '../../packages/structured-clone/test/forge.ts';
import type { Victim } from './victim.ts';

/** Something that was done to others, done to ours. */
export interface Attack {
  /** What is attacked, and what ours does. */
  readonly name: string;
  run(victim: Victim): Promise<void>;
}

/** The end of a sequence of results: what a failure of an RpcError looks like. */
export const failure = (code: string, message: unknown = expect.any(String)) => [1, [code, message]];

export const call = (receiver: number, path: string | string[], ...args: unknown[]) => [receiver, path, args];

/** A frame with the id 1 of these operations. */
export const frame = (...entries: unknown[]) => sequence(1, ...entries);

export const extended = (kind: number, payload: unknown) => new Extended(kind, payload);

/** A frame with the id 1 of one call of `echo`, whose only argument is written by hand. */
export function forged(structure: readonly (number | readonly number[])[], text = ''): Uint8Array {
  return f.forge([f.integer(1), f.array(3), f.integer(0), f.string(4), f.array(1), ...structure], `echo${text}`);
}

/** An attack by one frame that is answered with one entry. */
export function answered(name: string, bytes: () => Uint8Array, entry: unknown): Attack {
  return {
    name,
    async run(victim) {
      expect(await victim.send([bytes()])).toEqual({ entries: [entry] });
    },
  };
}

/** An attack by one frame that is refused, as malformed or as too much: nothing of it runs. */
export function refused(
  name: string,
  bytes: () => Uint8Array,
  code: unknown = expect.stringMatching(/^(MALFORMED_FRAME|LIMIT_EXCEEDED)$/),
): Attack {
  return answered(`${name}: refused`, bytes, [2, [code, expect.any(String), expect.any(Number)]]);
}
