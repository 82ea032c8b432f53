import { CloneError, type DecodeOptions } from '@lumenize/structured-clone';
import {
  fromMessage,
  isMarked,
  type Reading,
  Reviver,
  readTree,
  resolveLimits,
  type Types,
} from '@lumenize/structured-clone/messages';
import type { RpcError } from '../errors/rpc-error.ts';
import { asFrameError, lacking, malformedFrame } from './errors.ts';
import type { Decoding, Message } from './message.ts';
import type { CallFrame } from './operation.ts';
import { type ResultHandler, readResult } from './result-frame.ts';
import { PART, RECORDING, RESENT, REVERSED, readId } from './tags.ts';

/** A frame as JSON gave it. */
export interface FrameEntries {
  /** Its content, tag or id first. */
  readonly entries: unknown[];
  /** The text that it was read from, itself or with what is around it. */
  readonly text: string;
  /** The bytes behind the text. */
  readonly tail: Uint8Array | undefined;
  /** Types that it may carry by value. */
  readonly types: Types;
  /** The length of the message: UTF-16 units of text, or bytes. */
  readonly size: number;
}

/** A frame of calls that were sent before. */
export type FrameSentAgain = FrameEntries & { readonly kind: typeof RESENT };

/** In place of an operation's place: none of them is to blame more than others. */
export const WHOLE_FRAME = -1;

/** Part of a session that reading its frames needs. */
export interface FrameHost extends ResultHandler {
  /** Entries that a frame holds unless it begins otherwise. */
  readonly expects: 'calls' | 'results';
  /**
   * Makes what an extension of the codec stands for, in the arguments of the call `argumentOf`, in what became of the call `resultOf`, or elsewhere.
   * `RESULT` in arguments is not asked for.
   */
  revive(name: string, parts: unknown[], argumentOf?: number, resultOf?: number): unknown;
}

/** Handles frames that begin with a tag of its own. */
export interface FrameHandler<Session extends object = object> {
  /** Handles a frame for a session; `values` makes values of its entries, in their order. */
  read(frame: FrameEntries, session: Session, values: EntryValues): void;
  /** Handles a message that holds what is refused, and returns true, where it is one of its own; else the connection is refused. */
  unreadable?(session: Session, error: RpcError, message: Message): boolean;
}

/**
 * Reads and checks a frame, or one that stands in another. Results and signals of channels are handled as they are met; of calls nothing runs
 * before the whole frame has been read. Throws a `RefusedFrame` or, without an id, an `RpcError`.
 */
export type FrameReader = (frame: Message | FrameEntries, host: FrameHost) => CallFrame | FrameSentAgain | undefined;

/** Reads frames of calls. */
export interface CallReader {
  /** Reads a frame whose first entry is at `first`, for a host; `valuesOf` makes what makes values of its entries. */
  read(
    frame: FrameEntries,
    first: number,
    host: FrameHost,
    valuesOf: (frame: FrameEntries, revive: DecodeOptions['revive']) => EntryValues,
  ): CallFrame | FrameSentAgain;
  /** Returns the error that refuses the calls of a frame which could not be read; undefined where it does not say which it holds. */
  refusalOf(error: unknown, message: Message | undefined, expects: FrameHost['expects']): Error | undefined;
}

/** Makes values of the entries of a frame that are no lists, in their order. */
export class EntryValues {
  /** Weight of all objects in values that hold marks. */
  weight = 0;
  readonly #reading: Reading;
  readonly #options: DecodeOptions;
  /** Most frames need none. */
  #reviver: Reviver | undefined;

  constructor(reading: Reading, options: DecodeOptions) {
    this.#reading = reading;
    this.#options = options;
  }

  /** Bytes of the tail that nothing has used yet. */
  get left(): number {
    return this.#reviver?.left ?? this.#reading.tail?.length ?? 0;
  }

  of(entry: unknown): unknown {
    if (!isMarked(entry)) return entry;
    this.#reviver ??= new Reviver(this.#reading, this.#options);
    const value = this.#reviver.value(entry);
    this.weight += this.#reviver.weight;
    return value;
  }

  checkUsed(): void {
    if (this.left > 0) throw malformedFrame('bytes that nothing uses');
  }
}

/** Objects that all entries of a frame may have beyond those of one: what is before the last is no more text than a frame is full with. */
const MORE_OBJECTS = 131_072;

/** Makes a reader with the options of a decoder and a reader of calls; without that, these are refused. */
export function createFrameReader(
  { limits: given, refuse, types }: Decoding,
  calls: CallReader | undefined,
  handlers: ReadonlyMap<unknown, FrameHandler>,
): FrameReader {
  const limits = resolveLimits(given);
  const limitsOfFrame = { ...limits, maxObjects: limits.maxObjects + MORE_OBJECTS };

  function parse(message: Message): FrameEntries {
    const { text, tail } = typeof message === 'string' ? { text: message, tail: undefined } : fromMessage(message);
    const entries = readTree(text, limitsOfFrame, tail?.length, calls && text.startsWith(`[${RESENT},`) ? 2 : 1);
    if (!Array.isArray(entries)) throw malformedFrame('a frame is a list');
    return { entries, text, tail, types, size: message.length };
  }

  function valuesOf({ tail }: FrameEntries, revive: DecodeOptions['revive']): EntryValues {
    return new EntryValues({ types, tail, verbatim: RECORDING, limits }, { refuse, revive });
  }

  function readResults(frame: FrameEntries, first: number, host: FrameHost): void {
    const { entries, tail } = frame;
    let id = readId(entries[first - 1]);
    // Most frames need none.
    let values: EntryValues | undefined;
    const revive = (name: string, parts: unknown[]) => host.revive(name, parts, undefined, id);
    try {
      for (let at = first; at < entries.length; at++) {
        let entry = entries[at];
        if (!Array.isArray(entry) && isMarked(entry)) {
          values ??= valuesOf(frame, revive);
          // As what became of the call with this id.
          entry = values.of(entry);
        }
        if (typeof entry === 'number') id += entry;
        else readResult(id++, entry, host);
      }
      if (tail !== undefined) (values ?? valuesOf(frame, revive)).checkUsed();
    } catch (error) {
      const reason = asFrameError(error);
      // It was answered all the same: made again, it would be answered so again.
      if (reason.code === 'NOT_CLONEABLE') host.settle(id, { ok: false, error: reason });
      throw reason;
    }
  }

  return (frame, host) => {
    const message = typeof frame === 'string' || frame instanceof Uint8Array ? frame : undefined;
    try {
      const parsed = message === undefined ? (frame as FrameEntries) : parse(message);
      const [kind] = parsed.entries;
      const handler = handlers.get(kind);
      if (handler !== undefined) {
        const revive = (name: string, parts: unknown[]) => host.revive(name, parts);
        return void handler.read(parsed, host, valuesOf(parsed, revive));
      }
      if (kind === PART) throw lacking('messageParts', 'a part of a message');
      const isReversed = kind === REVERSED;
      const first = isReversed ? 2 : 1;
      if ((host.expects === 'calls') !== isReversed) {
        if (calls === undefined) throw lacking('references', 'a call of the other side');
        return calls.read(parsed, first, host, valuesOf);
      }
      return void readResults(parsed, first, host);
    } catch (error) {
      const reason = asFrameError(error);
      const isRefused = message !== undefined && error instanceof CloneError && error.code !== 'MALFORMED';
      if (isRefused && [...handlers.values()].some((each) => each.unreadable?.(host, reason, message)))
        return undefined;
      throw calls?.refusalOf(error, message, host.expects) ?? reason;
    }
  };
}
