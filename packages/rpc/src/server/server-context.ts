import { createEncoder } from '@lumenize/structured-clone';
import { type CallFrameReader, createCallFrameReader } from '../protocol/call-frame.ts';
import { ResultFrame } from '../protocol/result-frame.ts';
import { DEFAULT_RPC_LIMITS, type RpcLimits } from './limits.ts';
import type { RpcServerOptions } from './options.ts';

/** What all sessions of an object share, so that an idle connection costs next to nothing. */
export interface ServerContext {
  readonly limits: Readonly<RpcLimits>;
  readonly readCallFrame: CallFrameReader;
  readonly onError: (error: unknown, method: string) => void;
  /** Lends a frame to write results into; it is given back when its bytes have been taken. */
  takeFrame(): ResultFrame;
  giveFrame(frame: ResultFrame): void;
}

export function createServerContext(options: RpcServerOptions): ServerContext {
  const limits = { ...DEFAULT_RPC_LIMITS, ...options.limits };
  const idle: ResultFrame[] = [];
  const encoding = { errorStacks: options.errorStacks, limits: { maxBytes: limits.maxFrameBytes } };
  return {
    limits,
    readCallFrame: createCallFrameReader({ refuse: options.refuse ?? ['RegExp'] }, limits.maxOperationsPerFrame),
    onError: options.onError ?? (() => {}),
    takeFrame: () => idle.pop() ?? new ResultFrame(createEncoder(encoding)),
    giveFrame: (frame) => idle.push(frame),
  };
}
