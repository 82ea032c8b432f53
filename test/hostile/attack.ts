import type { Message } from '@lumenize/rpc';
import { toMessage } from '@lumenize/structured-clone/messages';
import { expect } from 'vitest';
import { Extended, sequence } from '../../packages/rpc/test/support/frames.ts';
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

export const extended = (name: string, ...parts: unknown[]) => new Extended(name, ...parts);

/** A frame with the id 1 of one call of `echo`, whose only argument is a form written by hand, with bytes behind it. */
export function forged(form: string, ...bytes: number[]): Message {
  return toMessage(`[1,{"$":[0,"echo",[${form}]]}]`, bytes.length > 0 ? [Uint8Array.from(bytes)] : []);
}

/** An attack by one frame that is answered with one entry. */
export function answered(name: string, message: () => Message, entry: unknown): Attack {
  return {
    name,
    async run(victim) {
      expect(await victim.send([message()])).toEqual({ entries: [entry] });
    },
  };
}

/** An attack by one frame that is refused, as malformed or as too much: nothing of it runs. */
export function refused(
  name: string,
  message: () => Message,
  code: unknown = expect.stringMatching(/^(MALFORMED_FRAME|LIMIT_EXCEEDED)$/),
): Attack {
  return answered(`${name}: refused`, message, [2, [code, expect.any(String), expect.any(Number)]]);
}
