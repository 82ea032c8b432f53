import { readFileSync } from 'node:fs';
import { connectOver, type Message, RpcTarget, type Transport } from '@lumenize/rpc';
import { describe, expect, test } from 'vitest';
import { createServerContext } from '../src/server/server-context.ts';
import { ServerSession } from '../src/server/session.ts';
import { turns } from './support/until.ts';
import {
  answersIn,
  answersTo,
  contentOf,
  expected,
  type Line,
  readLine,
  type Serve,
  scripted,
  VECTORS,
} from './support/vectors.ts';

class Golden extends RpcTarget {
  async *count() {
    yield 1;
    yield 2;
  }
  *none() {}
  bytes() {
    return new Response(new Uint8Array([7, 8])).body;
  }
  // biome-ignore lint/correctness/useYield: it fails before it can
  async *fails() {
    throw new RangeError('no');
  }
  async first(items: AsyncIterable<unknown>) {
    for await (const item of items) return item;
  }
  async write(stream: WritableStream) {
    const writer = stream.getWriter();
    await writer.write(5);
    await writer.close();
  }
  later() {
    return { it: Promise.resolve(5) };
  }
  async wait(signal: AbortSignal) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }
}

async function* three() {
  yield 3;
  await new Promise(() => {});
}

/** What leads to the frames of a vector. */
// biome-ignore lint/suspicious/noExplicitAny: tested untyped
const RUNS: Readonly<Record<string, (stub: any) => unknown>> = {
  'an async generator': async (stub) => drain(await stub.count()),
  'a stream of bytes': async (stub) => drain(await stub.bytes()),
  'a generator that throws': async (stub) => drain(await stub.fails()).catch(() => {}),
  'a generator that is stopped': (stub) => stub.first(three()),
  'a stream to write to': (stub) => stub.write(new WritableStream()),
  'a promise': async (stub) => (await stub.later()).it,
  'a signal': async (stub) => {
    const controller = new AbortController();
    const waiting = stub.wait(controller.signal);
    await turns(1);
    controller.abort('why');
    await waiting;
  },
};

/** Makes a session of its own for a connection. */
const serve = (channel: Transport) => new ServerSession(new Golden(), channel, createServerContext({}));

/** Runs calls of a client, and returns what was said. */
async function said(run: (stub: unknown) => unknown, open: Serve): Promise<Line[]> {
  const lines: Line[] = [];
  const note = (way: Line['way'], message: Message) => lines.push({ way, content: contentOf(message) });
  const stub = connectOver<Golden>((events) => {
    const peer = open({
      send: (frame) => {
        note('down', frame);
        queueMicrotask(() => events.received(frame));
      },
      close: () => {},
    });
    queueMicrotask(() => events.opened());
    return {
      send: (frame) => {
        note('up', frame);
        queueMicrotask(() => peer.receive(frame));
      },
      close: () => {},
    };
  }, 'a golden target');
  await run(stub);
  await turns(2);
  return lines;
}

test('each vector has calls that lead to it', () => {
  expect(VECTORS.channels.map(({ name }) => name)).toEqual(Object.keys(RUNS));
});

describe.each(VECTORS.channels)('$name', ({ name, frames }) => {
  test('is what client and server say, who keep nothing of it', async () => {
    let session: ServerSession | undefined;
    const lines = await said(RUNS[name], (channel) => {
      session = serve(channel);
      return session;
    });
    expect(lines).toEqual(expected(frames));
    expect(session!.counts.channels).toBe(0);
  });

  test('is what a server answers', async () => {
    expect(await answersTo(frames, serve)).toEqual(expected(answersIn(frames)));
  });

  test('is what a client understands', async () => {
    expect(await said(RUNS[name], scripted(frames))).toEqual(expected(frames));
  });

  test('is in the document', () => {
    const text = readFileSync(new URL('../../../docs/protocol-channels.md', import.meta.url), 'utf8');
    const explained = text.split(`\n${name}:`)[1]?.split('\n\n')[0] ?? '';
    const lines = [...explained.matchAll(/^ {2}((?:up|down) +\S.*)$/gm)].map(([, line]) => line);
    expect(lines.map(readLine)).toEqual(expected(frames));
  });
});

async function drain(source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source);
}
