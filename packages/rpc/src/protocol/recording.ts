import type { DecodeOptions, Extension } from '@lumenize/structured-clone';
import { checkUsed, Reviver, readTree } from '@lumenize/structured-clone/messages';
import { RpcError } from '../errors/rpc-error.ts';
import { type Address, FIRST_KEPT, type ResultReference, readResultReference } from './address.ts';
import { malformedFrame } from './errors.ts';
import type { Decoding } from './message.ts';
import { type Operation, readOperation } from './operation.ts';
import { RECORDING, RESULT } from './tags.ts';

/**
 * The callback of `map` or `filter`: what it did when it was run once, with placeholders for an element and its key. It is
 * run for each element by running its operations.
 */
export class Recording {
  /**
   * The JSON of a list of forms: operations as in a call frame, and at the end what the callback returned, in a list of one. They
   * are read anew for each element, so that each has arguments and a result of its own.
   */
  readonly text: string;
  /** Values that the callback used from outside of it. */
  readonly captures: readonly unknown[];
  /** The bytes of the forms. */
  readonly tail: Uint8Array | undefined;

  constructor(text: string, captures: readonly unknown[], tail?: Uint8Array) {
    this.text = text;
    this.captures = captures;
    this.tail = tail;
  }

  /** Returns what stands for it in a value. */
  get extension(): Extension {
    const { text, captures, tail } = this;
    return { name: RECORDING, parts: [JSON.parse(text), captures, ...(tail ? [tail] : [])] };
  }
}

/** Names of the methods that take a recording. */
export type MappingName = 'map' | 'filter';

/** Returns true if a method takes a recording, unless its receiver is a target that says otherwise. */
export function isMapping(name: unknown): name is MappingName {
  return name === 'map' || name === 'filter';
}

/** The address of something from outside. In a recording 0 is the element, and the key stands before the first operation. */
export function captureAddress(place: number): Address {
  return FIRST_KEPT - place;
}

/** Reads the address of a capture: its place. */
export function captureAt(address: Address): number {
  return FIRST_KEPT - address;
}

/** Returns the number of operations before the one at `place`, for addresses. The key counts as one. */
export function recordedIndex(place: number): number {
  return place + 1;
}

/** Limits of a recording, tighter than those of a frame: it is read for each element. */
const BODY_LIMITS = { maxHoles: 1000 };
/** Recordings nested in each other. */
const MAX_DEPTH = 8;

/** Reads the entries of a recording, one after the other; `revive` makes what stands in them for what is no value. */
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

/** Makes a recording of an extension's parts, whose entries have been checked before. */
export function recordingOf([forms, captures, tail, ...rest]: unknown[]): Recording {
  const isTail = tail === undefined || tail instanceof Uint8Array;
  if (!Array.isArray(forms) || !Array.isArray(captures) || !isTail || rest.length > 0) {
    throw malformedFrame('a recording without its operations');
  }
  return new Recording(JSON.stringify(forms), captures, tail);
}

/** Reads recordings as they arrive in a frame. */
export interface RecordingReader {
  read(parts: unknown[], options: Decoding, maxOperations: number): Recording;
  checkPlaced: typeof checkPlaced;
}

/** Checks a recording, and all that are in it: no more operations than `maxOperations`, and no address that leads nowhere. */
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
    if (!isEnded) {
      const operation = readOperation(entry, recordedIndex(operations));
      if (operation.terms !== undefined) throw malformedFrame('a recorded operation with terms of its own');
      checkAddress({ address: operation.receiver, path: operation.path });
      checkPlaced(operation, inner);
      if (++operations > maxOperations) {
        throw new RpcError('LIMIT_EXCEEDED', `maxOperationsPerFrame of ${maxOperations} exceeded in a recording`);
      }
    } else checkPlaced(undefined, inner);
    inner = 0;
  }
  if (!isEnded) throw malformedFrame('a recording without a result');
  return recording;
}

/**
 * Checks that the recordings that an entry was read with are where they belong: one, as the first argument of `map` or
 * `filter`; or of no method, which then gets the name of one of these and what to go through.
 */
export function checkPlaced(operation: Operation | undefined, recordings: number): void {
  if (recordings === 0) return;
  const { path = [], args } = operation ?? {};
  const name = path.length === 0 ? args?.[1] : path.at(-1);
  if (recordings > 1 || !(args?.[0] instanceof Recording) || !isMapping(name)) {
    throw malformedFrame('a recording that is not the callback of map or filter');
  }
}

/** Checks recordings, and where they are. */
export const RECORDING_READER: RecordingReader = { read: readRecording, checkPlaced };
