import { type Ask, PLANNED } from '../src/programs/keys.ts';
import type { Returning } from '../src/programs/program.ts';
import type { Host } from './host.ts';

/** Makes what a method returns, around the number that its effect came to. */
export function give(returning: Returning, value: number, key: string, ask: Ask, extra: unknown, host: Host): unknown {
  const { count } = ask;
  switch (returning) {
    case 'number':
      return value;
    case 'echo':
      return { value, extra };
    case 'list':
      return Array.from({ length: count }, (_, place) => value + place);
    case 'function':
      return (by: number) => value + by;
    case 'promise':
      return { value, later: handled(later(value + 1, ask)) };
    case 'generator':
      return generate(value, ask, host);
    case 'stream':
      return streamOf(value, count, host, (item) => item);
    case 'bytes':
      return streamOf(value, count, host, (item) => new Uint8Array([item & 255]), 'bytes');
    case 'writable':
      return sink(key, host);
    case 'subscription':
      return host.topics[(ask.topic ?? 0) % host.topics.length].subscribe({ since: ask.since as 0 | undefined });
    default:
      return returning satisfies never;
  }
}

/** Where it cannot be sent, nobody else handles what becomes of it. */
function handled(promise: Promise<number>): Promise<number> {
  promise.catch(() => {});
  return promise;
}

async function later(value: number, { refuse }: Ask): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 5));
  if (refuse === 'later') throw new RangeError(PLANNED);
  return value;
}

async function* generate(value: number, { count, refuse }: Ask, host: Host): AsyncGenerator<number> {
  host.live('generators', 1);
  try {
    for (let place = 0; place < count; place++) {
      if (place % 2 === 1) await new Promise((resolve) => setTimeout(resolve, 3));
      yield value + place;
    }
    if (refuse === 'later') throw new RangeError(PLANNED);
  } finally {
    host.live('generators', -1);
  }
}

function streamOf(
  value: number,
  count: number,
  host: Host,
  make: (item: number) => unknown,
  type?: 'bytes',
): ReadableStream {
  let place = 0;
  const source = {
    type,
    pull(controller: ReadableStreamDefaultController) {
      if (place === 0) host.live('streams', 1);
      if (place < count) return controller.enqueue(make(value + place++));
      host.live('streams', -1);
      controller.close();
    },
    cancel() {
      if (place > 0) host.live('streams', -1);
    },
  };
  // A stream without chunks is not live: `pull` closes it at once.
  return new ReadableStream(source as never, type === 'bytes' ? undefined : { highWaterMark: 0 });
}

function sink(key: string, host: Host): WritableStream {
  let sum = 0;
  let chunks = 0;
  return new WritableStream({
    write(chunk: number) {
      if (chunk !== chunks++) throw new Error(`chunk ${chunk} came as number ${chunks - 1}`);
      sum += chunk;
    },
    close() {
      host.ledger.add(key, 'sink', 'sink', sum);
    },
  });
}
