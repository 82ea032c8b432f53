import { type Message, toMessage } from '@lumenize/structured-clone/messages';
import { expect } from 'vitest';
import type { Victim } from './victim.ts';

/** Something that was done to others, done to ours. */
export interface Attack {
  /** What is attacked, and what ours does. */
  readonly name: string;
  run(victim: Victim): Promise<void>;
}

/** The answer of a call that fails with an RpcError. */
export const failure = (code: unknown, message: unknown = expect.any(String)) => ({
  $: { $rpcError: [code, message] },
  '!': 1,
});

/** A frame of these entries, or of a larger first id. */
export const frame = (...entries: unknown[]) => JSON.stringify([1, ...entries]);
export const frameFrom = (id: unknown, ...entries: unknown[]) => JSON.stringify([id, ...entries]);

/** The same entry many times. */
export const times = <T>(count: number, make: (place: number) => T): T[] =>
  Array.from({ length: count }, (_, place) => make(place));

/** A frame of one call of `echo`, whose only argument is a form written by hand, with bytes behind it. */
export function forged(form: string, ...bytes: number[]): Message {
  return toMessage(`[1,["echo",{"$":[${form}]}]]`, bytes.length > 0 ? [Uint8Array.from(bytes)] : []);
}

/** An attack by one frame that is answered with one answer. */
export function answered(name: string, message: () => Message, answer: unknown): Attack {
  return {
    name,
    async run(victim) {
      expect(await victim.send([message()])).toEqual({ answers: [answer] });
    },
  };
}

/** An attack by one call whose arguments are refused: it fails, and does not run. */
export function refused(name: string, message: () => Message, code = 'NOT_CLONEABLE'): Attack {
  return answered(`${name}: refused`, message, failure(code));
}

/** An attack by a message that nobody who means well sends: nothing of it runs, and its connection ends. */
export function ended(name: string, message: () => Message, closed = 1007): Attack {
  return {
    name: `${name}: ends its connection`,
    async run(victim) {
      expect(await victim.send([message(), frameFrom(900, ['value'])])).toEqual({ answers: [], closed });
    },
  };
}
