import { readFileSync } from 'node:fs';
import { connectOver, RpcTarget, type TransportEvents } from '@lumenize/rpc';
import { expect, test } from 'vitest';
import { createServerContext } from '../src/server/server-context.ts';
import { ServerSession } from '../src/server/session.ts';
import { hex } from './support/hex.ts';
import { turns } from './support/until.ts';

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

interface Exchange {
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: tested untyped
  run: (stub: any) => unknown;
  /** Frames in hexadecimal, up those of the client. */
  frames: string[];
}

/** What docs/protocol-channels.md explains. They change only with the version of the protocol. */
const EXCHANGES: readonly Exchange[] = [
  {
    name: 'an async generator',
    run: async (stub) => drain(await stub.count()),
    frames: ['up    0183004580636f756e7405', 'down  0181e7060000', 'down  23830000018300000282000100'],
  },
  {
    name: 'a stream of bytes',
    run: async (stub) => drain(await stub.bytes()),
    frames: ['up    0183004580627974657305', 'down  0181e704810000', 'down  23830000f80002070882000100'],
  },
  {
    name: 'a generator that throws',
    run: async (stub) => drain(await stub.fails()).catch(() => {}),
    frames: ['up    01830045806661696c7305', 'down  0181e7060000', 'down  2383000281ee030147426d6573736167656e6f09'],
  },
  {
    name: 'a generator that is stopped',
    run: (stub) => stub.first(three()),
    frames: ['up    0183004581e70600666972737405', 'up    238300000300', 'down  2382210400', 'down  01810300'],
  },
  {
    name: 'a stream to write to',
    run: (stub) => stub.write(new WritableStream()),
    frames: ['up    0183004581e70500777269746505', 'down  238321000582210100', 'up    2382000100', 'down  0181e000'],
  },
  {
    name: 'a promise',
    run: async (stub) => (await stub.later()).it,
    frames: ['up    01830045806c6174657205', 'down  0181a00202e70700697402', 'down  238300000500'],
  },
  {
    name: 'a signal',
    run: async (stub) => {
      const controller = new AbortController();
      const waiting = stub.wait(controller.signal);
      await turns(1);
      controller.abort('why');
      await waiting;
    },
    frames: ['up    0183004481e708007761697404', 'up    238300004377687903', 'down  0181e000'],
  },
];

test.each(EXCHANGES)('$name', async ({ name, run, frames }) => {
  const sent: string[] = [];
  let events: TransportEvents;
  const session = new ServerSession(
    new Golden(),
    {
      send: (frame) => {
        sent.push(`down  ${hex(frame)}`);
        queueMicrotask(() => events.received(frame));
      },
      close: () => {},
    },
    createServerContext({}),
  );
  const stub = connectOver<Golden>((given) => {
    events = given;
    queueMicrotask(() => given.opened());
    return {
      send: (frame) => {
        sent.push(`up    ${hex(frame)}`);
        queueMicrotask(() => session.receive(frame));
      },
      close: () => {},
    };
  }, 'a golden target');
  await run(stub);
  await turns(2);
  expect(sent).toEqual(frames);
  expect(session.counts.channels).toBe(0);
  // The document has them too, with spaces.
  const text = readFileSync(new URL('../../../docs/protocol-channels.md', import.meta.url), 'utf8');
  const explained =
    text
      .split(`\n${name}:`)[1]
      ?.split('\n\n')[0]
      .matchAll(/^ {2}((?:up|down) +[\da-f ]+)$/gm) ?? [];
  expect([...explained].map(([, frame]) => frame.replace(/(?<=\S) (?=\S)/g, ''))).toEqual(frames);
});

async function drain(source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source);
}
