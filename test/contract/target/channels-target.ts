import { CallbacksTarget } from './callbacks-target.ts';
import { note } from './journal.ts';

/** The part of the contract's target that cases about streams and iterables use. */
export class ChannelsTarget extends CallbacksTarget {
  readonly #holds: PromiseWithResolvers<void>[] = [];

  async readRequest(request: Request): Promise<(string | null)[]> {
    return [request.url, request.method, request.headers.get('x-a'), await request.text()];
  }

  response(text: string, status: number): Response {
    return new Response(text, { status, headers: { 'x-a': '1' } });
  }

  bytes(chunks: number, size: number): ReadableStream<Uint8Array> {
    let sent = 0;
    return new ReadableStream({
      pull(controller) {
        if (sent === chunks) controller.close();
        else controller.enqueue(new Uint8Array(size).fill(sent++));
      },
    });
  }

  objects(count: number, key?: string): ReadableStream<{ n: number; at: Date }> {
    let sent = 0;
    return new ReadableStream({
      pull(controller) {
        if (sent === count) return controller.close();
        controller.enqueue({ n: sent++, at: new Date(0) });
        note(key, 'produced');
      },
      cancel: (reason) => note(key, `cancelled: ${(reason as Error)?.message ?? reason}`),
    });
  }

  failingStream(after: number): ReadableStream<number> {
    let sent = 0;
    return new ReadableStream({
      pull(controller) {
        if (sent === after) controller.error(new RangeError('the stream broke'));
        else controller.enqueue(sent++);
      },
    });
  }

  streamInData() {
    return { name: 'two', stream: this.objects(2) };
  }

  async readAll(stream: ReadableStream<unknown>): Promise<unknown[]> {
    return collect(stream as unknown as AsyncIterable<unknown>);
  }

  /** Reads some chunks, and then does not go on before `releaseReaders` is called. */
  async readSome(stream: ReadableStream<unknown>, count: number): Promise<number> {
    const hold = Promise.withResolvers<void>();
    this.#holds.push(hold); // at once: who releases need not wait until something was read
    const reader = stream.getReader();
    let read = 0;
    for (; read < count; read++) await reader.read();
    await hold.promise;
    await reader.cancel(new Error('read enough'));
    return read;
  }

  releaseReaders(): void {
    for (const { resolve } of this.#holds.splice(0)) resolve();
  }

  async whatTheStreamThrows(stream: ReadableStream<unknown>): Promise<unknown> {
    const reader = stream.getReader();
    try {
      for (;;) if ((await reader.read()).done) return 'nothing';
    } catch (error) {
      return { isRangeError: error instanceof RangeError, message: (error as Error).message };
    }
  }

  /** Notes what is written to it, that it was closed, and why it was aborted. */
  sink(key: string): WritableStream<unknown> {
    return new WritableStream({
      // JSON would say what a `toJSON` of all objects says.
      write: (chunk) => note(key, `${typeof chunk} ${Object.entries(Object(chunk)).join()}`),
      close: () => note(key, 'closed'),
      abort: (reason) => note(key, `aborted: ${(reason as Error)?.message ?? reason}`),
    });
  }

  failingSink(): WritableStream<unknown> {
    return new WritableStream({
      write() {
        throw new RangeError('the sink broke');
      },
    });
  }

  async writeTo(stream: WritableStream<unknown>, chunks: unknown[]): Promise<void> {
    const writer = stream.getWriter();
    for (const chunk of chunks) await writer.write(chunk);
    await writer.close();
  }

  async abortStream(stream: WritableStream<unknown>): Promise<void> {
    await stream.abort(new RangeError('no more'));
  }

  async *count(to: number, key?: string): AsyncGenerator<number> {
    try {
      for (let n = 0; n < to; n++) {
        note(key, 'produced');
        yield n;
      }
    } finally {
      note(key, 'ended');
    }
  }

  async *countAndThrow(to: number): AsyncGenerator<number> {
    for (let n = 0; n < to; n++) yield n;
    throw new RangeError('counted too far');
  }

  async *countersOneByOne(count: number) {
    for (let n = 0; n < count; n++) yield this.counter(n);
  }

  /** Yields an item that cannot be sent. */
  async *unsendableItems(): AsyncGenerator<unknown> {
    yield 'first';
    yield { users: [{ token: Symbol('x') }] };
  }

  unsendableChunks(): ReadableStream<unknown> {
    return new ReadableStream({
      start(controller) {
        controller.enqueue('first');
        controller.enqueue({ users: [{ token: Symbol('x') }] });
      },
    });
  }

  unsendablePromise(): { later: Promise<unknown> } {
    return { later: Promise.resolve({ users: [{ token: Symbol('x') }] }) };
  }

  /** Returns the error with which an iterable ends. */
  async whatTheIterableThrows(iterable: AsyncIterable<unknown>): Promise<unknown> {
    try {
      for await (const _item of iterable);
      return undefined;
    } catch (error) {
      const { name, code, message } = error as Error & { code?: string };
      return { name, code, message };
    }
  }

  async iterateAll(iterable: AsyncIterable<unknown>): Promise<unknown[]> {
    return collect(iterable);
  }

  /** Leaves the loop after some items. */
  async iterateSome(iterable: AsyncIterable<unknown>, count: number): Promise<unknown[]> {
    const items: unknown[] = [];
    for await (const item of iterable) {
      items.push(item);
      if (items.length === count) break;
    }
    return items;
  }
}

async function collect(iterable: AsyncIterable<unknown>): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of iterable) items.push(item);
  return items;
}
