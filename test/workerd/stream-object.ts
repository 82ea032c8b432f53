import { callContext, RpcObject, RpcTarget } from '@lumenize/rpc/server';

/** Serves streams from inside the Workers runtime. */
export class StreamObject extends RpcObject {
  readonly events: unknown[] = [];

  override target(): RpcTarget {
    return new StreamTarget(this.events);
  }
}

class StreamTarget extends RpcTarget {
  readonly #events: unknown[];
  #produced = 0;

  constructor(events: unknown[]) {
    super();
    this.#events = events;
  }

  /** A stream of bytes; `produced` tells how many chunks were asked for. */
  bytes(count: number, size: number): ReadableStream {
    let left = count;
    return new ReadableStream(
      {
        type: 'bytes',
        pull: (controller) => {
          if (left-- === 0) return controller.close();
          this.#produced++;
          controller.enqueue(new Uint8Array(size));
        },
        cancel: (reason) => void this.#events.push(`cancelled: ${reason?.message}`),
      },
      { highWaterMark: 0 },
    );
  }
  /** A body that has no end, of which the caller gets all bytes with the result. */
  endlessBody(): Response {
    this.#events.push('asked');
    return new Response(new ReadableStream());
  }
  produced(): number {
    return this.#produced;
  }
  /** The platform's own streams: a body, compressed. */
  compressed(text: string): ReadableStream {
    return new Response(text).body!.pipeThrough(new CompressionStream('gzip'));
  }
  async *count(to: number) {
    try {
      for (let n = 0; n < to; n++) yield n;
    } finally {
      this.#events.push('ended');
    }
  }
  async size(stream: ReadableStream): Promise<number> {
    let size = 0;
    for await (const chunk of stream) size += (chunk as Uint8Array).length;
    return size;
  }
  /** The lengths of the chunks in which a stream arrives. */
  async lengths(stream: ReadableStream<Uint8Array>): Promise<number[]> {
    const lengths: number[] = [];
    for await (const chunk of stream) lengths.push(chunk.length);
    return lengths;
  }
  async text(stream: ReadableStream): Promise<string> {
    return new Response(stream.pipeThrough(new DecompressionStream('gzip'))).text();
  }
  /** Sends what is written back, through a stream of the platform. */
  pipe(): { readable: ReadableStream; writable: WritableStream } {
    const { readable, writable } = new TransformStream();
    return { readable, writable };
  }
  /** A stream that something else reads or writes by the time that the whole result is written. */
  lockedLate(kind: 'readable' | 'writable'): unknown {
    return lockedLate(kind);
  }
  /** Why a stream that is passed fails. */
  async failureOf({ stream }: { stream: ReadableStream | WritableStream }): Promise<string> {
    const used = 'getReader' in stream ? stream.getReader().read() : stream.getWriter().closed;
    return used.then(String, ({ message }: Error) => message);
  }
  async untilAborted(signal: AbortSignal): Promise<string> {
    this.#events.push('waits');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return (signal.reason as Error).message;
  }
  events(): unknown[] {
    return this.#events;
  }
  counts(): unknown {
    return callContext().counts;
  }
}

/** Has a stream locked by a getter behind it, which runs while the value is written. */
export function lockedLate(kind: 'readable' | 'writable'): { stream: unknown; isLocked: boolean } {
  const stream = new TransformStream()[kind];
  return {
    stream,
    get isLocked() {
      if (!stream.locked) 'getReader' in stream ? stream.getReader() : stream.getWriter();
      return stream.locked;
    },
  };
}
