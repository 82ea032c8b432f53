import { type DecodeOptions, Encoder } from '@lumenize/structured-clone';
import { RpcError } from '../errors/rpc-error.ts';
import { type CallFrame, RefusedFrame, readCallFrame } from '../protocol/call-frame.ts';
import { CLOSE, closeReason } from '../protocol/close-codes.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import type { Transport } from '../transport/transport.ts';
import { DEFAULT_RPC_LIMITS, type RpcLimits } from './limits.ts';
import type { RpcServerOptions } from './options.ts';
import { Replies } from './replies.ts';
import { type RunHost, runOperations } from './run.ts';

/** The server's side of a connection: runs call frames on its target and sends what becomes of them. */
export class ServerSession implements RunHost {
  readonly #target: unknown;
  readonly #channel: Transport;
  readonly #limits: Readonly<RpcLimits>;
  readonly #decoding: DecodeOptions;
  readonly #replies: Replies;
  #running = 0;

  constructor(target: unknown, channel: Transport, options: RpcServerOptions = {}) {
    this.#target = target;
    this.#channel = channel;
    this.#limits = { ...DEFAULT_RPC_LIMITS, ...options.limits };
    this.#decoding = { refuse: options.refuse ?? ['RegExp'] };
    const encoder = new Encoder({
      errorStacks: options.errorStacks ?? false,
      limits: { maxBytes: this.#limits.maxFrameBytes },
    });
    this.#replies = new Replies(encoder, channel, options.onError ?? (() => {}));
  }

  /** Runs a call frame: in one synchronous run as far as its methods are synchronous, whose results leave in one frame. */
  receive(frame: Uint8Array): void {
    if (frame.length > this.#limits.maxFrameBytes) {
      return this.#channel.close(CLOSE.tooLarge, `a frame exceeds maxFrameBytes of ${this.#limits.maxFrameBytes}`);
    }
    let calls: CallFrame;
    try {
      calls = readCallFrame(frame, this.#decoding, this.#limits.maxOperationsPerFrame);
    } catch (error) {
      return this.#refuse(error);
    }
    runOperations(calls, this.#target, this);
    this.#replies.flush();
  }

  get full(): boolean {
    return this.#running >= this.#limits.maxCallsInFlight;
  }

  settled(id: number, name: string, outcome: Outcome): void {
    this.#replies.add(id, name, outcome);
  }

  started(): void {
    this.#running++;
  }

  ended(): void {
    this.#running--;
    this.#replies.flushSoon();
  }

  #refuse(error: unknown): void {
    if (error instanceof RefusedFrame) return this.#replies.refuse(error);
    const { message } = RpcError.from(error, 'MALFORMED_FRAME');
    this.#channel.close(CLOSE.malformed, closeReason(message));
  }
}
