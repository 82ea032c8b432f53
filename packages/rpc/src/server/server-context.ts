import { createEncoder, type DecodeOptions } from '@lumenize/structured-clone';
import { type CallFrameReader, createCallFrameReader } from '../protocol/call-frame.ts';
import { ResultFrame } from '../protocol/result-frame.ts';
import { DEFAULT_RPC_LIMITS, type RpcLimits } from './limits.ts';
import type { RpcServerOptions } from './options.ts';

/** How frames are read and written; the same for all objects of an isolate that are served the same way. */
interface Frames {
  readonly read: CallFrameReader;
  /** Lends a frame to write results into; it is given back when its bytes have been taken. */
  take(): ResultFrame;
  give(frame: ResultFrame): void;
}

/** What all sessions of an object share. */
export interface ServerContext {
  readonly limits: Readonly<RpcLimits>;
  readonly frames: Frames;
  readonly onError: (error: unknown, method: string) => void;
}

export function createServerContext(options: RpcServerOptions): ServerContext {
  const limits = { ...DEFAULT_RPC_LIMITS, ...options.limits };
  return {
    limits,
    frames: framesFor(limits, options.refuse ?? ['RegExp'], options.errorStacks ?? false),
    onError: options.onError ?? (() => {}),
  };
}

/** Frames by the options they depend on. An object that is new or has just woken finds code and memory that is warm. */
const known = new Map<string, Frames>();
/** More open frames than this at once are rare, and each keeps its buffer. */
const MAX_IDLE = 16;

function framesFor(limits: RpcLimits, refuse: DecodeOptions['refuse'], errorStacks: boolean): Frames {
  const key = JSON.stringify([limits, refuse, errorStacks]);
  let frames = known.get(key);
  if (frames === undefined) {
    const idle: ResultFrame[] = [];
    const encoding = { errorStacks, limits: { maxBytes: limits.maxFrameBytes } };
    frames = {
      read: createCallFrameReader({ refuse }, limits.maxOperationsPerFrame),
      take: () => idle.pop() ?? new ResultFrame(createEncoder(encoding)),
      give: (frame) => {
        if (idle.length < MAX_IDLE) idle.push(frame);
      },
    };
    known.set(key, frames);
  }
  return frames;
}
