import { CloneError } from '@lumenize/structured-clone';
import { RpcError } from '../errors/rpc-error.ts';
import type { RefusedFrame } from '../protocol/call-frame.ts';
import type { Outcome, ResultFrame } from '../protocol/result-frame.ts';
import { unsendableCode } from '../protocol/unsendable.ts';
import type { Transport } from '../transport/transport.ts';
import type { ServerContext } from './server-context.ts';

/** A frame that has grown to this is sent before the next result. */
const FULL_BYTES = 262_144;

/** Collects results, so that those that are ready together leave in one frame. */
export class Replies {
  readonly #transport: Transport;
  readonly #context: ServerContext;
  #frame: ResultFrame | undefined;
  #flushing = false;

  constructor(transport: Transport, context: ServerContext) {
    this.#transport = transport;
    this.#context = context;
  }

  /** Adds what became of a call. Where that cannot be sent, an error saying so takes its place: every call is answered. */
  add(id: number, path: readonly string[], outcome: Outcome): void {
    this.#frame ??= this.#context.frames.take();
    const frame = this.#frame;
    if (outcome.ok) this.#value(frame, id, path, outcome.value);
    else this.#failure(frame, id, path.join('.'), outcome.error);
    if (frame.size > FULL_BYTES) this.flush();
  }

  /** Answers a frame of which nothing ran. */
  refuse({ firstId, index, cause }: RefusedFrame): void {
    this.#frame ??= this.#context.frames.take();
    this.#frame.refused(firstId, index, cause);
    this.flush();
  }

  /** Sends what has been collected. */
  flush(): void {
    const frame = this.#frame;
    if (frame === undefined) return;
    this.#frame = undefined;
    const bytes = frame.finish();
    this.#context.frames.give(frame);
    this.#transport.send(bytes);
  }

  /** Sends after all jobs that are ready, so that methods that end together are answered together. */
  flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    queueMicrotask(() =>
      queueMicrotask(() => {
        this.#flushing = false;
        this.flush();
      }),
    );
  }

  #value(frame: ResultFrame, id: number, path: readonly string[], value: unknown): void {
    try {
      frame.value(id, value);
    } catch (error) {
      const name = path.join('.');
      this.#context.onError(error, name);
      frame.rpcError(id, unsendable('the result', name, error));
    }
  }

  #failure(frame: ResultFrame, id: number, name: string, error: unknown): void {
    if (error instanceof RpcError) return frame.rpcError(id, error);
    this.#context.onError(error, name);
    try {
      frame.thrown(id, error);
    } catch (reason) {
      this.#context.onError(reason, name);
      frame.rpcError(id, unsendable('what was thrown', name, reason));
    }
  }
}

function unsendable(what: string, name: string, error: unknown): RpcError {
  // A getter of the value threw: that may be anything, and is not for strangers.
  if (!(error instanceof CloneError)) return new RpcError('INTERNAL', `${what} of ${name}() could not be read`);
  const message = error.message.replace(/^at value\[\d\]/, 'at value');
  return new RpcError(unsendableCode(error), `${what} of ${name}(): ${message}`);
}
