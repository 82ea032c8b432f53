import { CloneError, type Encoder } from '@lumenize/structured-clone';
import { RpcError } from '../errors/rpc-error.ts';
import type { RefusedFrame } from '../protocol/call-frame.ts';
import { type Outcome, ResultFrame } from '../protocol/result-frame.ts';
import type { Transport } from '../transport/transport.ts';

/** A frame that has grown to this is sent before the next result. */
const FLUSH_AT_BYTES = 262_144;

/** Collects results, so that those that are ready together leave in one frame. */
export class Replies {
  readonly #encoder: Encoder;
  readonly #frame: ResultFrame;
  readonly #channel: Transport;
  #flushing = false;
  readonly #report: (error: unknown, method: string) => void;

  constructor(encoder: Encoder, channel: Transport, report: (error: unknown, method: string) => void) {
    this.#encoder = encoder;
    this.#frame = new ResultFrame(encoder);
    this.#channel = channel;
    this.#report = report;
  }

  /** Adds what became of a call. Where that cannot be sent, an error saying so takes its place: every call is answered. */
  add(id: number, name: string, outcome: Outcome): void {
    if (outcome.ok) this.#value(id, name, outcome.value);
    else this.#failure(id, name, outcome.error);
    if (this.#encoder.size > FLUSH_AT_BYTES) this.flush();
  }

  /** Answers a frame of which nothing ran. */
  refuse({ firstId, index, cause }: RefusedFrame): void {
    this.#frame.refused(firstId, index, cause);
    this.flush();
  }

  /** Sends what has been collected. */
  flush(): void {
    if (!this.#frame.empty) this.#channel.send(this.#frame.finish());
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

  #value(id: number, name: string, value: unknown): void {
    try {
      this.#frame.value(id, value);
    } catch (error) {
      this.#report(error, name);
      this.#frame.rpcError(id, unsendable('the result', name, error));
    }
  }

  #failure(id: number, name: string, error: unknown): void {
    if (error instanceof RpcError) return this.#frame.rpcError(id, error);
    this.#report(error, name);
    try {
      this.#frame.thrown(id, error);
    } catch (reason) {
      this.#report(reason, name);
      this.#frame.rpcError(id, unsendable('what was thrown', name, reason));
    }
  }
}

function unsendable(what: string, name: string, error: unknown): RpcError {
  // A getter of the value threw: that may be anything, and is not for strangers.
  if (!(error instanceof CloneError)) return new RpcError('INTERNAL', `${what} of ${name}() could not be read`);
  const tooLarge = error.message.startsWith('maxBytes');
  const message = error.message.replace(/^at value\[\d\]/, 'at value');
  return new RpcError(tooLarge ? 'TOO_LARGE' : 'NOT_CLONEABLE', `${what} of ${name}(): ${message}`);
}
