import { CloneError, createDecoder, type DecodeOptions } from '@lumenize/structured-clone';
import { RpcError } from '../errors/rpc-error.ts';
import { FIRST_KEPT } from './address.ts';
import { RECORDING, RESULT, readId, readResultReference, TOPIC } from './extension.ts';
import { CHANNELS, EVENTS, PART, RESENT, REVERSED } from './frame-kind.ts';
import { asFrameError, malformedFrame } from './malformed.ts';
import { type Operation, readOperation } from './operation.ts';
import { checkPlaced, type RecordingReader } from './recording.ts';
import { type ResultHandler, readResult } from './result-frame.ts';
import { readSteps, type Signal, STEPS } from './signal.ts';
import { type EventsFrame, readEvents } from './topic.ts';

/** A call frame that was read: the operations have the ids `firstId`, `firstId + 1` and so on. */
export interface CallFrame {
  readonly kind: 'calls';
  readonly firstId: number;
  readonly operations: Operation[];
  readonly signals: Signal[];
  /** Whether arguments hold `ResultReference`s. */
  readonly hasReferences: boolean;
  /** Bytes of the whole frame. */
  readonly size: number;
}

/** A part of a larger frame. */
export interface FramePart {
  readonly kind: 'part';
  /** How many parts are still to come. */
  readonly remaining: number;
  readonly bytes: Uint8Array;
}

/** A frame that was sent before: what `readResent` makes sense of. */
export interface FrameSentAgain {
  readonly kind: 'resent';
  readonly parts: unknown[];
}

type Holds = 'calls' | 'results' | 'channels' | 'part' | 'resent' | 'events';

/** In place of an operation's place: none of them is to blame more than others. */
export const WHOLE_FRAME = -1;

/** A frame that cannot be run although it says which calls it holds. */
export class RefusedFrame extends Error {
  readonly firstId: number;
  /** The place in the frame of the operation that is to blame, or `WHOLE_FRAME`. */
  readonly index: number;
  override readonly cause: RpcError;

  constructor(firstId: number, index: number, cause: RpcError) {
    super(cause.message, { cause });
    this.firstId = firstId;
    this.index = index;
    this.cause = cause;
  }
}

/** What a reader needs of the session that a frame is for. */
export interface FrameHost extends ResultHandler {
  /** What frames hold unless they begin otherwise. */
  readonly expects: 'calls' | 'results';
  /** Makes what an extension of the codec stands for, in the arguments of a call or elsewhere; `RESULT` in arguments is not asked for. */
  revive(kind: number, payload: unknown, callId: number | undefined): unknown;
  /** Handles an entry of a frame of channels. */
  receiveChannel(entry: unknown): void;
  /** Makes what stands for a subscription; `callId`: the call that it is a result of, where it is one of a call. */
  reviveTopic(payload: unknown, callId: number | undefined): unknown;
  /** Handles a frame of events of so many bytes. */
  receiveEvents(frame: EventsFrame, bytes: number): void;
  /** The rest of a frame of channels holds something that is refused. */
  channelsUnreadable(error: RpcError): void;
}

/**
 * Reads and checks a frame. Results and signals of channels are handled as they are met; of calls nothing runs before the whole frame has been
 * read. Throws a `RefusedFrame` or, without an id, an `RpcError`.
 */
export type FrameReader = (bytes: Uint8Array, host: FrameHost) => CallFrame | FramePart | FrameSentAgain | undefined;

/**
 * Makes a reader with the options of a decoder and the largest number of operations in a frame. Without a reader of
 * recordings these are refused.
 */
export function createFrameReader(
  options: DecodeOptions,
  maxOperations: number,
  readRecording?: RecordingReader,
): FrameReader {
  // Of the frame being read only this is kept here: its arguments belong to whoever runs it.
  let host: FrameHost;
  let holds: Holds;
  let id = -1;
  let index = 0;
  let hasReferences = false;
  /** Of the entry being read. */
  let recordings = 0;
  const revive = (kind: number, payload: unknown) => {
    if (kind === TOPIC) return host.reviveTopic(payload, holds === 'results' ? id : undefined);
    if (holds !== 'calls') return host.revive(kind, payload, undefined);
    if (kind === RECORDING && readRecording !== undefined) {
      recordings++;
      return readRecording(payload, options, maxOperations);
    }
    if (kind !== RESULT) return host.revive(kind, payload, id + index);
    hasReferences = true;
    return readResultReference(payload, index);
  };
  const decode = createDecoder({ ...options, revive });

  return (bytes, frameHost) => {
    const operations: Operation[] = [];
    const signals: Signal[] = [];
    const part: unknown[] = [];
    id = -1;
    let isEnded = false;
    host = frameHost;
    holds = host.expects as Holds;
    index = 0;
    recordings = 0;
    hasReferences = false;

    function readCall(entry: unknown): void {
      if (!Array.isArray(entry)) throw malformedFrame('an operation is not a list');
      if (isEnded) throw malformedFrame('something after its end');
      const first: unknown = entry[0];
      const held = recordings;
      recordings = 0;
      if (first === STEPS) {
        isEnded = true;
        for (const place of readSteps(entry as unknown as Signal, index)) operations[place].answered = false;
      } else if (typeof first === 'number' && first < 0 && first > FIRST_KEPT) {
        checkPlaced(undefined, held);
        signals.push(entry as unknown as Signal);
      } else if (index === maxOperations) {
        throw new RpcError('LIMIT_EXCEEDED', `maxOperationsPerFrame of ${maxOperations} exceeded`);
      } else {
        const operation = readOperation(entry, index);
        checkPlaced(operation, held);
        operations.push(operation);
        index++;
      }
    }

    try {
      decode(bytes, (entry) => {
        if (holds === 'part' || holds === 'resent' || holds === 'events') part.push(entry);
        else if (holds === 'channels') host.receiveChannel(entry);
        else if (id >= 0) {
          if (holds === 'calls') readCall(entry);
          else if (typeof entry === 'number') id += entry;
          else readResult(id++, entry, host);
        } else if (entry === REVERSED) holds = host.expects === 'calls' ? 'results' : 'calls';
        else if (entry === PART) holds = 'part';
        else if (entry === CHANNELS) holds = 'channels';
        else if (entry === EVENTS) holds = 'events';
        else if (entry === RESENT) holds = 'resent';
        else id = readId(entry);
      });
      if (holds === 'part') return readPart(part);
      if (holds === 'events') return void host.receiveEvents(readEvents(part), bytes.length);
      if (holds === 'resent') return { kind: 'resent', parts: part };
      if (holds === 'channels') return undefined;
      if (id < 0) throw malformedFrame('no id');
    } catch (error) {
      if (holds === 'channels' && error instanceof CloneError && error.code !== 'MALFORMED') {
        return void host.channelsUnreadable(asFrameError(error));
      }
      if (id < 0 || holds !== 'calls') throw asFrameError(error);
      throw new RefusedFrame(id, index, asFrameError(error));
    }
    if (holds === 'results') return undefined;
    return { kind: 'calls', firstId: id, operations, signals, hasReferences, size: bytes.length };
  };
}

function readPart([remaining, bytes]: unknown[]): FramePart {
  if (!(bytes instanceof Uint8Array)) throw malformedFrame('a part without bytes');
  return { kind: 'part', remaining: readId(remaining), bytes };
}
