import { CloneError, createDecoder, type DecodeOptions } from '@lumenize/structured-clone';
import type { RpcError } from '../errors/rpc-error.ts';
import type { CallFrame } from './call-frame.ts';
import type { CallReader } from './call-reader.ts';
import { readId, TOPIC } from './extension.ts';
import { CHANNELS, EVENTS, PART, RESENT, REVERSED } from './frame-kind.ts';
import { asFrameError, malformedFrame } from './malformed.ts';
import type { Message } from './message.ts';
import { type ResultHandler, readResult } from './result-frame.ts';

/** A frame that is read as a whole by who knows its kind: what stands behind that. */
export type FrameOfParts =
  | { readonly kind: typeof PART; readonly parts: unknown[] }
  | { readonly kind: typeof RESENT; readonly parts: unknown[] };

type Holds = 'calls' | 'results' | 'channels' | typeof PART | typeof RESENT | typeof EVENTS;

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
  /** Handles an entry of a frame of channels that takes so many bytes of memory. */
  receiveChannel(entry: unknown, cost: number): void;
  /** Makes what stands for a subscription; `callId`: the call that it is a result of, where it is one of a call. */
  reviveTopic(payload: unknown, callId: number | undefined): unknown;
  /** Handles what comes behind the kind of a frame of events of so many bytes. */
  receiveEvents(parts: unknown[], bytes: number): void;
  /** The rest of a frame of channels holds something that is refused. */
  channelsUnreadable(error: RpcError): void;
}

/**
 * Reads and checks a frame. Results and signals of channels are handled as they are met; of calls nothing runs before the whole frame has been
 * read. Throws a `RefusedFrame` or, without an id, an `RpcError`.
 */
export type FrameReader = (message: Message, host: FrameHost) => CallFrame | FrameOfParts | undefined;

/** Makes a reader with the options of a decoder, and what makes a reader of calls when there is a frame of them. */
export function createFrameReader(options: DecodeOptions, callReader: () => CallReader): FrameReader {
  // Of the frame being read only this is kept here: its arguments belong to whoever runs it.
  let host: FrameHost | undefined;
  let holds = 'results' as Holds;
  let id = -1;
  let calls: CallReader | undefined;
  const revive = (kind: number, payload: unknown) => {
    if (holds === 'calls') {
      const own = calls!.revive(kind, payload);
      if (own !== undefined) return own;
    }
    if (kind === TOPIC) return host!.reviveTopic(payload, holds === 'results' ? id : undefined);
    return host!.revive(kind, payload, holds === 'calls' ? id + calls!.count : undefined);
  };
  const decode = createDecoder({ ...options, revive });
  const beginCalls = () => {
    calls ??= callReader();
    calls.begin();
    holds = 'calls';
  };

  return (message, frameHost) => {
    if (typeof message === 'string') throw malformedFrame('a frame that is text');
    // A registered class that is decoded may have another session receive a frame, or this one.
    if (host !== undefined) return createFrameReader(options, callReader)(message, frameHost);
    const parts: unknown[] = [];
    let total = 0;
    id = -1;
    host = frameHost;
    holds = frameHost.expects as Holds;

    try {
      if (holds === 'calls') beginCalls();
      decode(message, (entry, cost) => {
        total += cost;
        if (typeof holds === 'number') parts.push(entry);
        else if (holds === 'channels') frameHost.receiveChannel(entry, cost);
        else if (id >= 0) {
          if (holds === 'calls') calls!.read(entry);
          else if (typeof entry === 'number') id += entry;
          else readResult(id++, entry, frameHost);
        } else if (entry === REVERSED) {
          if (frameHost.expects === 'calls') holds = 'results';
          else beginCalls();
        } else if (entry === CHANNELS) holds = 'channels';
        else if (entry === PART || entry === RESENT || entry === EVENTS) holds = entry;
        else id = readId(entry);
      });
      if (holds === EVENTS) return void frameHost.receiveEvents(parts, message.length);
      if (typeof holds === 'number') return { kind: holds, parts };
      if (holds === 'channels') return undefined;
      if (id < 0) throw malformedFrame('no id');
    } catch (error) {
      if (holds === 'channels' && error instanceof CloneError && error.code !== 'MALFORMED') {
        return void frameHost.channelsUnreadable(asFrameError(error));
      }
      // It was answered all the same: made again, it would be answered so again.
      const reason = asFrameError(error);
      if (holds === 'results' && id >= 0 && reason.code === 'NOT_CLONEABLE') {
        frameHost.settle(id, { ok: false, error: reason });
      }
      if (id < 0 || holds !== 'calls') throw reason;
      calls!.end();
      throw new RefusedFrame(id, calls!.count, reason);
    } finally {
      // What it is about is not to be kept alive from here.
      host = undefined;
    }
    return holds === 'results' ? undefined : calls!.finish(id, message.length, total);
  };
}
