import type { DecodeOptions, Extension } from '@lumenize/structured-clone';
import { checkUsed, Reviver, readTree, toJson } from '@lumenize/structured-clone/messages';
import { type Address, FIRST_KEPT, type ResultReference, readResultReference } from './address.ts';
import { exceeded, malformedFrame } from './errors.ts';
import type { Decoding } from './message.ts';
import { type Operation, readOperation } from './operation.ts';
import { RECORDING, RESULT } from './tags.ts';

/**
 * The callback of `map` or `filter`: the operations that it made when it ran once, with placeholders for an element and
 * its key. Running these operations runs the callback for an element.
 */
export class Recording {
  /**
   * The JSON of a list of forms: operations as in a call frame, and at the end a list of one form, the result of the
   * callback. The JSON is parsed again for each element, so that each has its own arguments and result.
   */
  readonly text: string;
  /** Values from outside the callback that it used. */
  readonly captures: readonly unknown[];
  /** The bytes that belong to the forms. */
  readonly tail: Uint8Array | undefined;

  constructor(text: string, captures: readonly unknown[], tail?: Uint8Array) {
    this.text = text;
    this.captures = captures;
    this.tail = tail;
  }

  /** Returns the extension that stands for the recording in a value. */
  get extension(): Extension {
    const { text, captures, tail } = this;
    return { name: RECORDING, parts: [JSON.parse(text), captures, ...(tail ? [tail] : [])] };
  }
}

/** Names of the methods that take a recording. */
export type MappingName = 'map' | 'filter';

/**
 * Returns true if a method of this name takes a recording, unless its receiver is a target with a method of its own by
 * that name.
 */
export function isMapping(name: unknown): name is MappingName {
  return name === 'map' || name === 'filter';
}

/**
 * Returns the address of a value from outside the callback. In a recording, 0 is the element, and the key stands before
 * the first operation.
 */
export function captureAddress(place: number): Address {
  return FIRST_KEPT - place;
}

/** Returns the place of the capture at an address. */
export function captureAt(address: Address): number {
  return FIRST_KEPT - address;
}

/** Returns the number of operations before the one at `place`, for addresses. The key counts as one. */
export function recordedIndex(place: number): number {
  return place + 1;
}

/**
 * Limits of a recording. They are tighter than those of a frame, because a recording is read again for each element.
 */
const BODY_LIMITS = { maxHoles: 1000 };
/** Most levels of nested recordings. */
const MAX_DEPTH = 8;

/**
 * Reads the entries of a recording one after the other. `revive` makes the objects that extensions in the entries stand
 * for.
 */
export function* readEntries(
  { text, tail }: Recording,
  { types, ...options }: Decoding,
  revive: DecodeOptions['revive'],
): Generator<unknown> {
  const limits = { ...options.limits, ...BODY_LIMITS };
  const reviver = new Reviver({ types, tail, verbatim: RECORDING }, { ...options, limits, revive });
  for (const form of readTree(text, reviver.limits, reviver.left, 1) as unknown[]) yield reviver.value({ $: form });
  checkUsed(reviver);
}

/** Makes a recording from the parts of an extension, whose entries have been checked before. */
export function recordingOf([forms, captures, tail, ...rest]: unknown[]): Recording {
  const isTail = tail === undefined || tail instanceof Uint8Array;
  if (!Array.isArray(forms) || !Array.isArray(captures) || !isTail || rest.length > 0) {
    throw malformedFrame('a recording without its operations');
  }
  return new Recording(toJson(forms), captures, tail);
}

/**
 * Checks a recording and all recordings nested in it, and returns it. Refuses more than `maxOperations` operations, and
 * addresses that lead nowhere.
 */
export function readRecording(parts: unknown[], options: Decoding, maxOperations: number, depth = 1): Recording {
  const recording = recordingOf(parts);
  const { captures } = recording;
  let operations = 0;
  let inner = 0;
  let isEnded = false;
  if (depth > MAX_DEPTH) throw malformedFrame(`recordings are nested deeper than ${MAX_DEPTH}`);

  const revive = (name: string, content: unknown[]) => {
    if (name === RESULT) return checkAddress(readResultReference(content, recordedIndex(operations)));
    if (name !== RECORDING) throw malformedFrame(`${name} in a recording`);
    inner++;
    return readRecording(content, options, maxOperations, depth + 1);
  };
  const checkAddress = (reference: ResultReference) => {
    if (captureAt(reference.address) >= captures.length) throw malformedFrame('a capture that is not there');
    return reference;
  };
  for (const entry of readEntries(recording, options, revive)) {
    if (!Array.isArray(entry) || isEnded) throw malformedFrame('something in a recording that is no operation');
    isEnded = entry.length === 1;
    const operation = isEnded ? undefined : readOperation(entry, recordedIndex(operations));
    checkPlaced(operation, inner);
    if (operation !== undefined) {
      if (operation.terms !== undefined) throw malformedFrame('a recorded operation with terms of its own');
      checkAddress({ address: operation.receiver, path: operation.path });
      if (++operations > maxOperations) {
        throw exceeded('maxOperationsPerFrame', { maxOperationsPerFrame: maxOperations }, ' in a recording');
      }
    }
    inner = 0;
  }
  if (!isEnded) throw malformedFrame('a recording without a result');
  return recording;
}

/**
 * Checks that the recordings in an entry are in the right place. An entry may have one, as the first argument of `map`
 * or `filter`. A call without a path may have one too: then the arguments are the recording, the name of one of these
 * methods, and the collection.
 */
export function checkPlaced(operation: Operation | undefined, recordings: number): void {
  if (recordings === 0) return;
  const { path = [], args } = operation ?? {};
  const name = path.length === 0 ? args?.[1] : path.at(-1);
  if (recordings > 1 || !(args?.[0] instanceof Recording) || !isMapping(name)) {
    throw malformedFrame('a recording that is not the callback of map or filter');
  }
}

/** Checks recordings and their places. */
export const RECORDING_READER = { read: readRecording, checkPlaced };
export type RecordingReader = typeof RECORDING_READER;
