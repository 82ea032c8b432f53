import { createEncoder, type Encoder } from '@lumenize/structured-clone';
import { type CallFrameReader, createCallFrameReader } from '../protocol/call-frame.ts';
import { DEFAULT_RPC_LIMITS, type RpcLimits } from './limits.ts';
import type { RpcServerOptions } from './options.ts';

/** What all sessions of an object share, so that an idle connection costs next to nothing. */
export interface ServerContext {
  readonly limits: Readonly<RpcLimits>;
  readonly readCallFrame: CallFrameReader;
  readonly onError: (error: unknown, method: string) => void;
  /** Lends an encoder for a frame of results; it is given back when the frame has been sent. */
  takeEncoder(): Encoder;
  giveEncoder(encoder: Encoder): void;
}

export function createServerContext(options: RpcServerOptions): ServerContext {
  const limits = { ...DEFAULT_RPC_LIMITS, ...options.limits };
  const idle: Encoder[] = [];
  return {
    limits,
    readCallFrame: createCallFrameReader({ refuse: options.refuse ?? ['RegExp'] }, limits.maxOperationsPerFrame),
    onError: options.onError ?? (() => {}),
    takeEncoder: () =>
      idle.pop() ?? createEncoder({ errorStacks: options.errorStacks, limits: { maxBytes: limits.maxFrameBytes } }),
    giveEncoder: (encoder) => idle.push(encoder),
  };
}
