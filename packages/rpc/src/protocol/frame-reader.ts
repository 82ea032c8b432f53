import { CloneError, type DecodeOptions } from '@lumenize/structured-clone';
import {
  checkUsed,
  fromMessage,
  isMarked,
  Reviver,
  readTree,
  resolveLimits,
  type Types,
} from '@lumenize/structured-clone/messages';
import type { RpcError } from '../errors/rpc-error.ts';
import { asFrameError, malformedFrame, missingExtensionError } from './errors.ts';
import type { Decoding, Message } from './message.ts';
import type { CallFrame } from './operation.ts';
import { type ResultHandler, readResult } from './result-frame.ts';
import { RECORDING, RESENT, REVERSED, readId } from './tags.ts';

/** A frame after JSON parsing. */
export interface FrameEntries {
  /** The content of the frame, which begins with its tag or its id. */
  readonly entries: unknown[];
  /** The text that the frame was read from. If the frame is nested in another one, the text of that one. */
  readonly text: string;
  /** The bytes behind the text. */
  readonly tail: Uint8Array | undefined;
  /** Types that the frame may carry by value. */
  readonly types: Types;
  /** The length of the message: UTF-16 units of text, or bytes. */
  readonly size: number;
}

/** A frame of calls that were sent before. */
export type ResentEntries = FrameEntries & { readonly kind: typeof RESENT };

/** Takes the place of an operation's index if no single operation is to blame. */
export const WHOLE_FRAME = -1;

/** The part of a session that a frame reader needs. */
export interface FrameHost extends ResultHandler {
  /** The kind of entries in a frame that does not begin with a tag. */
  readonly expects: 'calls' | 'results';
  /**
   * Makes the value that an extension of the codec stands for. The value is in the arguments of the call `argumentOf`,
   * in the outcome of the call `resultOf`, or elsewhere. It is not called for a `RESULT` in arguments.
   */
  revive(name: string, parts: unknown[], argumentOf?: number, resultOf?: number): unknown;
}

/** Handles frames that begin with a tag of an extension. */
export interface FrameHandler<Session extends object = object> {
  /** Handles a frame for a session. `values` decodes its entries, in their order. */
  read(frame: FrameEntries, session: Session, values: Reviver): void;
  /**
   * Called when the content of a message was refused. Handles the message and returns true if it belongs to this
   * handler. If it belongs to no handler, the connection is refused.
   */
  unreadable?(session: Session, error: RpcError, message: Message): boolean;
}

/**
 * Reads and checks a frame, or a frame that is nested in another one. Results and signals of channels are handled as
 * they are read; calls run only after the whole frame has been read. Throws a `RefusedFrame`, or an `RpcError` if the
 * frame has no readable id.
 */
export type FrameReader = (frame: Message | FrameEntries, host: FrameHost) => CallFrame | ResentEntries | undefined;

/** Reads frames of calls. */
export interface CallReader {
  /** Reads a frame whose first entry is at `first`, for a host. `valuesOf` returns the decoder of its entries. */
  read(
    frame: FrameEntries,
    first: number,
    host: FrameHost,
    valuesOf: (frame: FrameEntries, revive: DecodeOptions['revive']) => Reviver,
  ): CallFrame | ResentEntries;
  /**
   * Returns the error that refuses the calls of an unreadable frame; undefined if the frame does not say which calls it
   * holds.
   */
  refusalOf(error: unknown, message: Message | undefined, expects: FrameHost['expects']): Error | undefined;
}

/**
 * Objects that a frame may hold beyond the limit for one entry. A frame is sent once its text is longer than
 * `FULL_SIZE`, so all entries but the last cannot hold more.
 */
const MORE_OBJECTS = 131_072;

/** Returns a frame reader with the options of a decoder. Without `calls`, frames of calls are refused. */
export function createFrameReader(
  { limits: given, refuse, types }: Decoding,
  calls: CallReader | undefined,
  handlers: Readonly<Record<number, FrameHandler>>,
): FrameReader {
  const limits = resolveLimits(given);
  const limitsOfFrame = { ...limits, maxObjects: limits.maxObjects + MORE_OBJECTS };

  function parse(message: Message): FrameEntries {
    const { text, tail } = typeof message === 'string' ? { text: message, tail: undefined } : fromMessage(message);
    const entries = readTree(text, limitsOfFrame, tail?.length, calls && text.startsWith(`[${RESENT},`) ? 2 : 1);
    if (!Array.isArray(entries)) throw malformedFrame('a frame is a list');
    return { entries, text, tail, types, size: message.length };
  }

  function valuesOf({ tail }: FrameEntries, revive: DecodeOptions['revive']): Reviver {
    return new Reviver({ types, tail, verbatim: RECORDING, limits }, { refuse, revive });
  }

  function readResults(frame: FrameEntries, first: number, host: FrameHost): void {
    const { entries, tail } = frame;
    let id = readId(entries[first - 1]);
    // Made on first use: most frames need none.
    let values: Reviver | undefined;
    const revive = (name: string, parts: unknown[]) => host.revive(name, parts, undefined, id);
    try {
      for (let at = first; at < entries.length; at++) {
        let entry = entries[at];
        if (!Array.isArray(entry) && isMarked(entry)) {
          values ??= valuesOf(frame, revive);
          // `revive` takes the entry as the outcome of the call with this id.
          entry = values.value(entry);
        }
        if (typeof entry === 'number') id += entry;
        else readResult(id++, entry, host);
      }
      if (tail !== undefined) checkUsed(values ?? valuesOf(frame, revive));
    } catch (error) {
      const reason = asFrameError(error);
      // The call was answered, even if the answer cannot be read here. Made again, it would get the same answer.
      if (reason.code === 'NOT_CLONEABLE') host.settle(id, { ok: false, error: reason });
      throw reason;
    }
  }

  return (frame, host) => {
    const message = typeof frame === 'string' || frame instanceof Uint8Array ? frame : undefined;
    try {
      const parsed = message === undefined ? (frame as FrameEntries) : parse(message);
      const [kind] = parsed.entries;
      const handler = typeof kind === 'number' ? handlers[kind] : undefined;
      if (handler !== undefined) {
        const revive = (name: string, parts: unknown[]) => host.revive(name, parts);
        return void handler.read(parsed, host, valuesOf(parsed, revive));
      }
      const isReversed = kind === REVERSED;
      const first = isReversed ? 2 : 1;
      if ((host.expects === 'calls') !== isReversed) {
        if (calls === undefined) throw missingExtensionError('references', 'a call of the other side');
        return calls.read(parsed, first, host, valuesOf);
      }
      return void readResults(parsed, first, host);
    } catch (error) {
      const reason = asFrameError(error);
      const isRefused = message !== undefined && error instanceof CloneError && error.code !== 'MALFORMED';
      if (isRefused && Object.values(handlers).some((each) => each.unreadable?.(host, reason, message)))
        return undefined;
      throw calls?.refusalOf(error, message, host.expects) ?? reason;
    }
  };
}
