import { asRpcError, RpcError } from '../errors/rpc-error.ts';
import { type CallFrame, RefusedFrame } from '../protocol/call-frame.ts';
import { CLOSE_MALFORMED, CLOSE_TOO_LARGE, closeReason } from '../protocol/close-codes.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import type { Transport } from '../transport/transport.ts';
import { Replies } from './replies.ts';
import { type RunHost, runOperations } from './run.ts';
import type { ServerContext } from './server-context.ts';

/** The server's side of a connection: runs call frames on its target and sends what becomes of them. */
export class ServerSession implements RunHost {
  readonly #target: unknown;
  readonly #transport: Transport;
  readonly #context: ServerContext;
  readonly #replies: Replies;
  #running = 0;
  #whenIdle: PromiseWithResolvers<void> | undefined;

  constructor(target: unknown, transport: Transport, context: ServerContext) {
    this.#target = target;
    this.#transport = transport;
    this.#context = context;
    this.#replies = new Replies(transport, context);
  }

  get full(): boolean {
    return this.#running >= this.#context.limits.maxCallsInFlight;
  }

  /** Resolves when no call is running; undefined where none is. An object that is waited for does not hibernate. */
  get idle(): Promise<void> | undefined {
    if (this.#running === 0) return undefined;
    this.#whenIdle ??= Promise.withResolvers();
    return this.#whenIdle.promise;
  }

  /** Runs a call frame: in one synchronous run as far as its methods are synchronous, whose results leave in one frame. */
  receive(bytes: Uint8Array): void {
    const { maxFrameBytes } = this.#context.limits;
    if (bytes.length > maxFrameBytes) {
      const error = new RpcError('TOO_LARGE', `maxFrameBytes of ${maxFrameBytes} exceeded`);
      return this.#transport.close(CLOSE_TOO_LARGE, closeReason(error));
    }
    let frame: CallFrame;
    try {
      frame = this.#context.frames.read(bytes);
    } catch (error) {
      if (error instanceof RefusedFrame) return this.#replies.refuse(error);
      return this.#transport.close(CLOSE_MALFORMED, closeReason(asRpcError(error, 'MALFORMED_FRAME')));
    }
    runOperations(frame, this.#target, this);
    this.#replies.flush();
  }

  settled(id: number, path: readonly string[], outcome: Outcome): void {
    this.#replies.add(id, path, outcome);
  }

  started(): void {
    this.#running++;
  }

  ended(): void {
    this.#replies.flushSoon();
    if (--this.#running > 0) return;
    this.#whenIdle?.resolve();
    this.#whenIdle = undefined;
  }
}
