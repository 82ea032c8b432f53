import type { RpcError } from '../errors/rpc-error.ts';
import { malformedFrame } from './malformed.ts';
import type { Signal } from './signal.ts';

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
