import type { RpcError } from '../errors/rpc-error.ts';
import { malformedFrame } from './malformed.ts';
import { CANCEL, type Signal } from './signal.ts';

/** Makes the error for a signal that the side it was sent to does not know. */
export function unknownSignal([kind]: Signal): RpcError {
  return malformedFrame(`signal ${kind} is unknown`);
}

/** Checks the rest of a signal that is a list of numbers. */
export function readNumbers(signal: Signal): number[] {
  const numbers = signal.slice(1);
  if (!numbers.every((number) => Number.isSafeInteger(number) && (number as number) >= 0)) {
    throw malformedFrame('a signal with something that is no id');
  }
  return numbers as number[];
}

/** Checks the places of steps among `count` operations. */
export function readSteps(signal: Signal, count: number): number[] {
  const places = readNumbers(signal);
  if (places.some((place) => place >= count)) throw malformedFrame('an operation that is not in the frame');
  return places;
}

/** Reads which calls are given up, and by which code: nothing but text is to be made a text of. */
export function* readCancelled(signals: readonly Signal[]): Generator<[id: number, code: string]> {
  for (const [kind, id, code] of signals) {
    if (kind !== CANCEL) continue;
    if (typeof code !== 'string') throw malformedFrame('a reason that is no text');
    yield [id as number, code];
  }
}
