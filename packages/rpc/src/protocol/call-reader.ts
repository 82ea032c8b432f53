import { RpcError } from '../errors/rpc-error.ts';
import { FIRST_KEPT, readResultReference } from './address.ts';
import { malformedFrame } from './errors.ts';
import type { Decoding } from './message.ts';
import { type Operation, readOperation } from './operation.ts';
import { checkPlaced, type RecordingReader } from './recording.ts';
import { readSteps, type Signal, STEPS } from './signal.ts';
import { RECORDING, RESULT } from './tags.ts';

/** A call frame that was read: the operations have the ids `firstId`, `firstId + 1` and so on. */
export interface CallFrame {
  readonly kind: 'calls';
  readonly firstId: number;
  readonly operations: Operation[];
  readonly signals: Signal[];
  /** Whether arguments hold `ResultReference`s. */
  readonly hasReferences: boolean;
  /** The length of the whole frame. */
  readonly size: number;
  /** Bytes of memory that it takes, about. */
  readonly cost: number;
  /** How many operations it counts as. */
  readonly charge: number;
  /** How many hold its memory: calls of it that are running, and the frame itself while it waits for its turn. */
  holders: number;
}

/** So many signals count as one operation. */
const SIGNALS_A_CHARGE = 10;

/** Reads the entries of a frame of calls. */
export class CallReader {
  readonly #options: Decoding;
  readonly #maxOperations: number;
  readonly #readRecording: RecordingReader | undefined;
  readonly #operations: Operation[] = [];
  readonly #signals: Signal[] = [];
  #hasReferences = false;
  /** References to properties of results, which may be getters. */
  #reads = 0;
  #isEnded = false;
  /** Of the entry being read. */
  #recordings = 0;
  /** Operations that have been read. */
  count = 0;

  /** With the options of a decoder, and the largest number of operations in a frame. Without a reader of recordings these are refused. */
  constructor(options: Decoding, maxOperations: number, readRecording?: RecordingReader) {
    this.#options = options;
    this.#maxOperations = maxOperations;
    this.#readRecording = readRecording;
  }

  /** Makes what an extension stands for that only calls have; undefined for the others. */
  revive(name: string, parts: unknown[]): object | undefined {
    if (name === RESULT) {
      this.#hasReferences = true;
      const reference = readResultReference(parts, this.count);
      if (reference.path.length > 0 && ++this.#reads > this.#maxOperations) throw tooMany(this.#maxOperations);
      return reference;
    }
    if (name !== RECORDING || this.#readRecording === undefined) return undefined;
    this.#recordings++;
    return this.#readRecording(parts, this.#options, this.#maxOperations);
  }

  read(entry: unknown): void {
    if (!Array.isArray(entry)) throw malformedFrame('an operation is not a list');
    if (this.#isEnded) throw malformedFrame('something after its end');
    const first: unknown = entry[0];
    const held = this.#recordings;
    this.#recordings = 0;
    if (first === STEPS) {
      this.#isEnded = true;
      for (const place of readSteps(entry as unknown as Signal, this.count)) this.#operations[place].answered = false;
    } else if (typeof first === 'number' && first < 0 && first > FIRST_KEPT) {
      if (held > 0) checkPlaced(undefined, held);
      this.#signals.push(entry as unknown as Signal);
    } else if (this.count === this.#maxOperations) {
      throw tooMany(this.#maxOperations);
    } else {
      const operation = readOperation(entry, this.count);
      if (held > 0) checkPlaced(operation, held);
      this.#operations.push(operation);
      this.count++;
    }
  }

  /** Returns what was read. */
  finish(firstId: number, size: number, cost: number): CallFrame {
    return {
      kind: 'calls',
      firstId,
      operations: this.#operations,
      signals: this.#signals,
      hasReferences: this.#hasReferences,
      size,
      cost,
      charge: this.count + this.#reads + Math.ceil(this.#signals.length / SIGNALS_A_CHARGE),
      holders: 0,
    };
  }
}

function tooMany(maxOperations: number): RpcError {
  return new RpcError('LIMIT_EXCEEDED', `maxOperationsPerFrame of ${maxOperations} exceeded`);
}
