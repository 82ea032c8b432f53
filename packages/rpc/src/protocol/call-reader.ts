import { checkUsed, isMarked, type Reviver, resolveLimits } from '@lumenize/structured-clone/messages';
import type { RpcError } from '../errors/rpc-error.ts';
import { FIRST_KEPT, type ResultReference, readResultReference } from './address.ts';
import { asFrameError, exceeded, malformedFrame } from './errors.ts';
import { type CallReader, WHOLE_FRAME } from './frame-reader.ts';
import { costOf, FULL_SIZE } from './frame-writer.ts';
import type { Decoding } from './message.ts';
import { type Operation, RefusedFrame, readOperation } from './operation.ts';
import type { RecordingReader } from './recording.ts';
import { readSteps, type Signal, STEPS } from './signal.ts';
import { idOfCalls, RECORDING, RESENT, RESULT, readId } from './tags.ts';

/** Completes the error for an entry of a frame, given the text of the frame and the place of the entry. */
export type LocateError = (error: unknown, text: string, at: number) => unknown;

/**
 * What the objects of a frame may count as beyond the limit for one entry. A frame is sent once it is longer than
 * `FULL_SIZE`, and no object counts as more than twice its text.
 */
const MORE_WEIGHT = 2 * FULL_SIZE;
/** Number of signals that count as one operation. */
const SIGNALS_A_CHARGE = 10;

/**
 * Returns a reader of calls with the options of a decoder. `maxOperations` is the largest number of operations in a
 * frame. Without `reader`, recordings are refused. `readReference` makes the placeholder for a result in the arguments
 * of the operation at `place`. `locate` completes the error for the entry at a place of the text.
 */
export function createCallReader(
  options: Decoding,
  maxOperations: number,
  reader?: RecordingReader,
  readReference: (parts: unknown[], place: number, callId: number) => object = readResultReference,
  locate: LocateError = (error) => error,
): CallReader {
  const { maxObjects } = resolveLimits(options.limits);
  const read: CallReader['read'] = (frame, first, host, valuesOf) => {
    const { entries, text, tail, size } = frame;
    if (entries[0] === RESENT) return { ...frame, kind: RESENT };
    const firstId = readId(entries[first - 1]);
    const operations: Operation[] = [];
    const signals: Signal[] = [];
    // Number of references to properties of results. They count like operations, because a property may be a getter.
    let reads = 0;
    let isEnded = false;
    // These belong to the entry being read.
    let recordings = 0;
    let references: ResultReference[] | undefined;
    let values: Reviver | undefined;
    let weight = 0;
    const revive = (name: string, parts: unknown[]) => {
      const { length } = operations;
      if (name === RESULT) {
        const reference = readReference(parts, length, firstId + length);
        references ??= [];
        references.push(reference as ResultReference);
        if (parts.length > 1 && ++reads > maxOperations) throw tooMany(maxOperations);
        return reference;
      }
      if (name !== RECORDING || reader === undefined) return host.revive(name, parts, firstId + length);
      recordings++;
      return reader.read(parts, options, maxOperations);
    };
    let refusal: RefusedFrame | undefined;
    let refused = 0;
    let at = first;
    try {
      for (; at < entries.length; at++) {
        let entry = entries[at];
        if (!Array.isArray(entry) && isMarked(entry)) {
          values ??= valuesOf(frame, revive);
          entry = values.value(entry);
          weight += values.weight;
          // Many entries within the limit could take all memory before the frame is admitted.
          if (weight > maxObjects + MORE_WEIGHT) throw exceeded('maxObjects', { maxObjects }, ' by calls of one frame');
        }
        if (!Array.isArray(entry)) throw malformedFrame('an operation');
        if (isEnded) throw malformedFrame('more after its end');
        const [kind] = entry;
        if (kind === STEPS) {
          isEnded = true;
          for (const place of readSteps(entry as unknown as Signal, operations.length))
            operations[place].answered = false;
        } else if (isSignal(entry)) {
          if (recordings > 0) reader!.checkPlaced(undefined, recordings);
          signals.push(entry);
        } else {
          if (operations.length === maxOperations) throw tooMany(maxOperations);
          const operation = readOperation(entry, operations.length);
          if (recordings > 0) reader!.checkPlaced(operation, recordings);
          operation.references = references;
          operations.push(operation);
        }
        recordings = 0;
        references = undefined;
      }
      if (tail !== undefined) checkUsed(values ?? valuesOf(frame, revive));
    } catch (error) {
      refusal = new RefusedFrame(firstId, operations.length, asFrameError(locate(error, text, at)));
      refused = operations.length + 1;
      operations.length = 0;
      for (const entry of entries.slice(at + 1)) if (isSignal(entry)) signals.push(entry);
    }
    return {
      kind: 'calls',
      firstId,
      operations,
      signals,
      refusal,
      size,
      cost: costOf(text, weight, tail?.length),
      charge: refused + operations.length + reads + Math.ceil(signals.length / SIGNALS_A_CHARGE),
      holders: 0,
    };
  };
  return {
    read,
    refusalOf(error, message, expects) {
      if (error instanceof RefusedFrame) return error;
      const firstId = message === undefined ? undefined : idOfCalls(message, expects);
      return firstId === undefined ? undefined : new RefusedFrame(firstId, WHOLE_FRAME, asFrameError(error));
    },
  };
}

/** Returns true for an entry that is a signal, though not the list of steps. */
function isSignal(entry: unknown): entry is Signal {
  const [kind] = Array.isArray(entry) ? entry : [];
  return typeof kind === 'number' && kind < STEPS && kind > FIRST_KEPT;
}

function tooMany(maxOperations: number): RpcError {
  return exceeded('maxOperationsPerFrame', { maxOperationsPerFrame: maxOperations });
}
