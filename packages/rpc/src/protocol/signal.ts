import { fromMessage, toJson, toMessage } from '@lumenize/structured-clone/messages';
import type { RpcError } from '../errors/rpc-error.ts';
import { malformedFrame } from './errors.ts';
import type { Message } from './message.ts';
import { readId } from './tags.ts';

// Signals stand among the operations of a call frame. They are lists that begin with one of these numbers. They are not
// answered.

/** Places in the frame of operations that are only steps: their results are kept, not sent. This signal comes last. */
export const STEPS = -1;
/** `id, count, …`: references that the sender no longer holds, and how often it had received each. */
export const RELEASE = -2;
/** Ids of calls whose kept results the sender no longer needs. */
export const FORGET = -3;
/** `id, reason`: the sender no longer waits for a call. */
export const CANCEL = -4;
/** `topic, cost`: the sender has consumed events of that cost. */
export const CONSUMED = -6;
/** `topic, count`: the sender no longer needs its subscriptions to a topic. It has received `count` of them. */
export const UNSUBSCRIBE = -7;

// The signals from here on are about the client, and not about the connection.

/** Ids of calls whose stored results have arrived. */
export const ACKNOWLEDGE = -8;
/** The client ends for good. Everything stored for it can be deleted. */
export const LEAVE = -9;

/** A signal as it is encoded. */
export type Signal = readonly [kind: number, ...rest: unknown[]];

/** Returns true for a signal that applies even if its connection was lost. */
export function survivesLoss([kind]: Signal): boolean {
  return kind <= ACKNOWLEDGE;
}

/** Returns a frame of calls with further signals in front of its operations, which keep their places. */
export function withSignals(frame: Message, signals: readonly Signal[]): Message {
  const { text, tail } = fromMessage(frame);
  const first = text.indexOf(',') + 1;
  const added = signals.map((signal) => `${toJson(signal)},`);
  return toMessage(text.slice(0, first) + added.join('') + text.slice(first), tail ? [tail] : []);
}

/** Returns the error for a signal that its receiver does not know. */
export function unknownSignal([kind]: Signal): RpcError {
  return malformedFrame(`signal ${kind} is unknown`);
}

/** Checks a signal whose content is a list of numbers, and returns the numbers. */
export function readNumbers(signal: Signal): number[] {
  return signal.slice(1).map(readId);
}

/** Checks the places of steps among `count` operations, and returns them. */
export function readSteps(signal: Signal, count: number): number[] {
  const places = readNumbers(signal);
  if (places.some((place) => place >= count)) throw malformedFrame('an operation that is not in the frame');
  return places;
}

/** A call that the sender gave up, with the code of the reason. */
export type GivenUp = readonly [id: number, code: string];

/**
 * Returns the calls that the sender gave up, by their ids in ascending order, each once with the code of the last reason.
 * Only text is accepted as a code, because other values must not be converted to text.
 */
export function readCancelled(signals: readonly Signal[]): GivenUp[] {
  const given: GivenUp[] = [];
  for (const [kind, id, code] of signals) {
    if (kind !== CANCEL) continue;
    if (typeof code !== 'string') throw malformedFrame('a reason that is no text');
    given.push([readId(id), code]);
  }
  given.sort(([a], [b]) => a - b);
  return given.filter(([id], at) => id !== given[at + 1]?.[0]);
}
