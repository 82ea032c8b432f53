import { median } from 'simple-statistics';
import type { CodecName } from '../codecs/codec.ts';
import type { Bench, Operation, Verification } from './bench.ts';
import type { BenchReply, BenchRequest } from './bench-messages.ts';

/** Requests that do nothing, of which the median is what asking and answering take. */
const EMPTY_KEPT = 15;
/** A block cannot have taken less than this; one so short that it disappears in the noise would divide by zero. */
const LEAST_MS = 0.001;

/**
 * Makes codecs work in a Worker, over a socket. It takes the time here, of the whole request less that of one that does
 * nothing: in workerd the clock does go on while a Worker computes (production's stands still until the next event), but
 * in whole milliseconds, which are too coarse for blocks of a few. Against a request of 0.1 ms give or take 0.02, a block
 * of 2 ms is exact to about 1 %.
 */
export class RemoteBench implements Bench {
  readonly #socket: WebSocket;
  readonly #emptyMs: number[] = [];
  #settle: { resolve(reply: BenchReply): void; reject(error: Error): void } | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#settle?.resolve(JSON.parse(data as string)));
    socket.addEventListener('close', () => this.#settle?.reject(new Error('the Worker closed its socket')));
  }

  /** Connects to the Worker at `url` (`http://…`); rejects where it can generate code. */
  static async connect(url: string): Promise<RemoteBench> {
    const socket = new WebSocket(url.replace(/^http/, 'ws'));
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', () => reject(new Error(`no socket to ${url}`)));
    });
    const bench = new RemoteBench(socket);
    await bench.#ask({ type: 'check' });
    return bench;
  }

  async verify(payload: string, codec: CodecName, sizes: boolean): Promise<Verification> {
    const { verification } = await this.#ask({ type: 'verify', payload, codec, sizes });
    return verification!;
  }

  async time(payload: string, codec: CodecName, operation: Operation, count: number): Promise<number> {
    // The same request with nothing to do, just before: it also wakes both event loops.
    this.#emptyMs.push(await this.#timed({ type: 'time', payload, codec, operation, count: 0 }));
    if (this.#emptyMs.length > EMPTY_KEPT) this.#emptyMs.shift();
    const elapsedMs = await this.#timed({ type: 'time', payload, codec, operation, count });
    return Math.max(LEAST_MS, elapsedMs - median(this.#emptyMs));
  }

  async forget(payload: string): Promise<void> {
    await this.#ask({ type: 'forget', payload });
  }

  async #timed(request: BenchRequest): Promise<number> {
    const begun = performance.now();
    await this.#ask(request);
    return performance.now() - begun;
  }

  async #ask(request: BenchRequest): Promise<BenchReply> {
    const { promise, resolve, reject } = Promise.withResolvers<BenchReply>();
    this.#settle = { resolve, reject };
    this.#socket.send(JSON.stringify(request));
    const reply = await promise;
    if (reply.error !== undefined) throw new Error(`in the Worker: ${reply.error}`);
    return reply;
  }
}
