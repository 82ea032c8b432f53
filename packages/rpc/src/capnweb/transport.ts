import type { RpcTransportWithCustomEncoding } from 'capnweb';
import { RpcError } from '../errors/rpc-error.ts';
import type { MessageAdmission } from './admission.ts';

/** Where messages go, and what is to be done when there are to be no more. */
export interface Wire {
  write(text: string): void;
  /** Called once. */
  close(error: RpcError): void;
}

/**
 * The transport that Cap'n Web's session reads from and writes to. It hands messages over as values, not as text, so that they can be looked
 * at before the session sees them.
 */
export class CapnWebTransport implements RpcTransportWithCustomEncoding {
  readonly encodingLevel = 'jsonCompatible';
  readonly #wire: Wire;
  readonly #admission: MessageAdmission;
  readonly #chunks = new ChunkClock();
  readonly #queue: string[] = [];
  #next: PromiseWithResolvers<void> | undefined;
  #ended: RpcError | undefined;
  #drained: PromiseWithResolvers<void> | undefined;
  /** Called when the session has ended, for whatever reason. */
  whenEnded: ((error: RpcError) => void) | undefined;

  constructor(wire: Wire, admission: MessageAdmission) {
    this.#wire = wire;
    this.#admission = admission;
  }

  /** Why the session ends, or has ended. */
  get ended(): RpcError | undefined {
    return this.#ended;
  }

  /** Resolves when what has been received was read, or there is nobody left to read it; undefined where there is nothing. */
  get drained(): Promise<void> | undefined {
    if (this.#queue.length === 0) return undefined;
    this.#drained ??= Promise.withResolvers();
    return this.#drained.promise;
  }

  /** Takes a message that has arrived. */
  deliver(text: string): void {
    this.#queue.push(text);
    this.#next?.resolve();
  }

  /** Has the session end, once what was received before has been read. */
  end(error: RpcError): void {
    this.#ended ??= error;
    this.#next?.reject(this.#ended);
  }

  send(message: unknown): number {
    this.#admission.sent(message);
    this.#chunks.sent(message as unknown[]);
    const text = JSON.stringify(message);
    this.#wire.write(text);
    return text.length;
  }

  async receive(): Promise<unknown> {
    if (this.#queue.length === 0) {
      if (this.#ended !== undefined) throw this.#ended;
      this.#drained?.resolve();
      this.#next = Promise.withResolvers();
      await this.#next.promise;
    }
    const message = this.#admission.receive(this.#queue[0]);
    const held = this.#chunks.hold(message);
    if (held !== undefined) await held;
    // Not before: what is held back has not been read.
    this.#queue.shift();
    return message;
  }

  /** Called by the session when it can or may not go on. */
  abort(reason: unknown): void {
    const error =
      reason instanceof RpcError
        ? reason
        : new RpcError('MALFORMED_FRAME', reason instanceof Error ? reason.message : String(reason));
    this.#ended ??= error;
    this.#queue.length = 0;
    this.#drained?.resolve();
    this.#wire.close(error);
    this.whenEnded?.(error);
  }
}

/**
 * Has no chunk of a stream acknowledged at the instant at which it was sent. Cap'n Web's flow control takes that for a round trip
 * of no time, its window becomes NaN, and whoever waits for it to open waits forever (0.12). The clock of a Worker stands still
 * between one event and the next, so that it comes to this wherever a client is near.
 */
class ChunkClock {
  /** When each chunk was sent that is not yet acknowledged, by the number that both sides give its message. */
  readonly #sentAt = new Map<number, number>();
  #nextId = 1;

  /** Notes a message that is sent. */
  sent([kind]: readonly unknown[]): void {
    if (kind === 'stream') this.#sentAt.set(this.#nextId, performance.now());
    if (kind === 'stream' || kind === 'push' || kind === 'pipe') this.#nextId++;
  }

  /** Waits until a message that has arrived may be handed over; undefined where that is now. */
  hold([kind, id]: readonly unknown[]): Promise<void> | undefined {
    if (kind !== 'resolve' && kind !== 'reject') return undefined;
    const sentAt = this.#sentAt.get(id as number);
    this.#sentAt.delete(id as number);
    if (sentAt === undefined || kind === 'reject' || performance.now() > sentAt) return undefined;
    return later(sentAt);
  }
}

async function later(than: number): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, 1));
  while (performance.now() <= than);
}
