import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MessageChannel } from 'node:worker_threads';
import type { Message, OpenTransport, Transport } from '@lumenize/rpc';
import { allTypes, fromMessage } from '@lumenize/structured-clone/messages';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { serveWs } from '../../../test/support/serve-ws.ts';
import { MessageParts } from '../src/extensions/message-parts/index.ts';
import { readPart, splitMessage } from '../src/protocol/frame-part.ts';
import type { FrameEntries } from '../src/protocol/frame-reader.ts';
import { BATCH_CONTENT_TYPE, readBatch, writeBatch } from '../src/protocol/http.ts';
import { bytesOf, countedBytes, isFrameText, messageOf } from '../src/protocol/message.ts';
import { EARLY_PREFIX, earlyOffer, fromBase64Url } from '../src/protocol/version.ts';
import { Backlog } from '../src/server/limits/backlog.ts';
import { DEFAULT_RPC_LIMITS } from '../src/server/server-context.ts';
import { Waiting } from '../src/session/admission.ts';
import { httpTransport } from '../src/transport/http.ts';
import { memoryTransport } from '../src/transport/memory.ts';
import { portOf, portTransport, servePortTransport } from '../src/transport/port.ts';
import type { Peer } from '../src/transport/transport.ts';
import { serveSocketTransport, socketTransport, webSocketTransport } from '../src/transport/websocket.ts';

/** Frames as they are carried: text with characters of one to four bytes and half of one that JSON escapes, and bytes. */
const MESSAGES: readonly Message[] = [
  '[1,[0,"increment",[]]]',
  '[2,["é – 🙂 \\ud83d"]]',
  new Uint8Array([1, 0x83, 0x5b]),
];

const SMALL = { ...DEFAULT_RPC_LIMITS, maxBytesInFlight: 10_000 };
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Sends back what it receives. */
const echo = (channel: Transport): Peer => ({ receive: (frame) => channel.send(frame), closed: () => {} });

/** Sends frames through a transport to a peer that sends them back, and returns what comes. */
async function echoed(open: OpenTransport, frames: readonly Message[]): Promise<readonly Message[]> {
  const received: Message[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const transport = open(
    {
      opened: () => {
        for (const frame of frames) transport.send(typeof frame === 'string' ? frame : frame.slice());
      },
      received: (frame) => received.push(frame) === frames.length && resolve(),
      answered: () => {},
      alive: () => {},
      closed: (code, reason) => reject(new Error(`${code} ${reason}`)),
    },
    ['lumenize.rpc.2'],
  );
  await promise;
  // Views that platforms make of bytes differ by their class.
  return received.map((frame) => (typeof frame === 'string' ? frame : new Uint8Array(frame)));
}

async function socketUrl(): Promise<string> {
  const server = await serveWs((socket) => serveSocketTransport(socket, echo));
  closing.push(() => server[Symbol.asyncDispose]());
  return server.url;
}

async function bareSocketUrl(passOn: (message: unknown, isBinary: boolean) => unknown[]): Promise<string> {
  const server = await serveWs((socket) => {
    const served = serveSocketTransport({ send: socket.send.bind(socket), close: socket.close.bind(socket) }, echo);
    socket.on('message', (message, isBinary) =>
      (served.receive as (...all: unknown[]) => void)(...passOn(message, isBinary)),
    );
  });
  closing.push(() => server[Symbol.asyncDispose]());
  return server.url;
}

const TRANSPORTS: Readonly<Record<string, () => OpenTransport | Promise<OpenTransport>>> = {
  memory: () => memoryTransport(echo),
  'a port': () => {
    const { port1, port2 } = new MessageChannel();
    closing.push(() => port1.close());
    servePortTransport(portOf(port2, {}), echo);
    return portTransport(portOf(port1, {}), 5000);
  },
  "the platform's WebSocket": async () => webSocketTransport(await socketUrl()),
  'a socket of a package': async () => {
    const url = await socketUrl();
    return socketTransport((protocols) => new WebSocket(url, protocols));
  },
  'a socket with listeners like those of Node': async () => {
    const url = await socketUrl();
    return socketTransport((protocols) => {
      const socket = new WebSocket(url, protocols);
      const { on, off, send, close } = socket;
      return Object.create(null, {
        on: { value: on.bind(socket) },
        off: { value: off.bind(socket) },
        send: { value: send.bind(socket) },
        close: { value: close.bind(socket) },
      });
    });
  },
  'a handler that is told what is text': async () =>
    webSocketTransport(await bareSocketUrl((message, isBinary) => [message, isBinary])),
  'a handler that is given bytes only': async () => webSocketTransport(await bareSocketUrl((message) => [message])),
  http: async () => {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { frames } = readBatch(new Uint8Array(Buffer.concat(chunks)));
      response.setHeader('Content-Type', BATCH_CONTENT_TYPE);
      response.end(writeBatch({ frames }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    return httpTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {}, 1e6);
  },
};

describe('a message', () => {
  test.each(Object.entries(TRANSPORTS))('comes through %s as it was, text or bytes', async (_name, open) => {
    expect(await echoed(await open(), MESSAGES)).toEqual(MESSAGES);
  });

  test('waits for another request where text makes the body of one too large', async () => {
    const bodies: number[] = [];
    const fetch = async (_url: string, { body }: RequestInit) => {
      bodies.push((body as Uint8Array).length);
      return new Response(body, { headers: { 'Content-Type': BATCH_CONTENT_TYPE } });
    };
    const wide = `["${'é'.repeat(28)}"]`;
    await echoed(httpTransport('http://test/', { fetch }, 132), [wide, wide, wide, wide]);
    expect(bodies).toEqual([128, 128]);
  });
});

describe('bytes of which nobody says what they are', () => {
  test('are text where they begin as a frame of text', () => {
    for (const message of MESSAGES) expect(messageOf(bytesOf(message))).toEqual(message);
  });

  test('are bytes where they are not valid UTF-8, and are never read as something else', () => {
    const broken = new Uint8Array([0x5b, 0xff, 0x5d]);
    expect(messageOf(broken)).toBe(broken);
    expect(messageOf(new Uint8Array([0xef, 0xbb, 0xbf, 0x5b, 0x5d]))).toBe('\ufeff[]');
  });
});

test.each([
  ['[1]', true],
  ['[', true],
  ['ping', false],
  ['pong 1f', false],
  [' [1]', false],
  ['{}', false],
  ['', false],
])('the text %j is a frame: %s', (text, is) => {
  expect(isFrameText(text)).toBe(is);
});

describe('the size of a message', () => {
  test.each([
    ['abcd', 4, false],
    ['abcd', 3, true],
    ['éé', 4, false],
    ['éé', 3, true],
    ['🙂', 4, false],
    ['🙂', 3, true],
    [new Uint8Array(4), 4, false],
    [new Uint8Array(4), 3, true],
  ])('of %j is held against a limit of %i bytes exactly', (message, bytes, is) => {
    expect(countedBytes(message, bytes) > bytes).toBe(is);
  });

  test('is counted exactly where it may be too much, and by its units elsewhere', () => {
    expect(countedBytes('éé', 6)).toBe(2);
    expect(countedBytes('éé', 6, 1)).toBe(4);
    expect(countedBytes('éé', 5)).toBe(4);
    expect(countedBytes(new Uint8Array(9), 5)).toBe(9);
  });
});

test('frames of text that wait are handled in order, each once, also where they are alike', async () => {
  const received: Message[] = [];
  const waiting = new Waiting(SMALL, { calls: 0, succeeded: 0, failed: 0 });
  const held: Backlog = new Backlog(
    {
      waiting,
      isOver: false,
      busy: () => () => {},
      ask: () => {},
      // The third has others wait once more, itself among them.
      receive(message) {
        held.isAsking = received.length === 2;
        if (held.isAsking) held.hold(message);
        else received.push(message);
      },
      refuseConnection: (error) => {
        throw error;
      },
    },
    waiting.max,
  );
  for (const frame of ['["é"]', '[2]', '[3]', '[3]']) held.hold(frame);
  expect(waiting.bytes).toBe(4 * 512 + 6 + 3 + 3 + 3);
  await held.release();
  expect(received).toEqual(['["é"]', '[2]']);
  received.push('');
  held.isAsking = false;
  await held.release();
  expect(received).toEqual(['["é"]', '[2]', '', '[3]', '[3]']);
  expect(waiting.bytes).toBe(0);
});

test('text goes with an upgrade as base64url of its UTF-8, and is read from there', () => {
  const offered = earlyOffer(bytesOf('["é"]')).find((each) => each.startsWith(EARLY_PREFIX))!;
  expect(messageOf(fromBase64Url(offered.slice(EARLY_PREFIX.length))!)).toBe('["é"]');
});

test('text that is larger than a frame may be goes in parts of its bytes, no more than so large', () => {
  const text = `["${'🙂é–x'.repeat(100)}"]`;
  const parts = [...splitMessage(text, 100)];
  expect(parts.every(({ length }) => length <= 100)).toBe(true);
  const joined = new MessageParts({
    settings: { limits: { ...SMALL, maxMessageBytes: 10_000 } },
    load: { calls: 0, succeeded: 0, failed: 0 },
    openWaiting: undefined,
    isStateless: false,
    checkPart: undefined,
    busy: () => () => {},
    receiveMessage: () => {},
  } as never);
  const messages = parts.map((part) => joined.add(entriesOf(part)));
  expect(messages.pop()).toBe(text);
  expect(messages.every((message) => message === undefined)).toBe(true);
  expect(readPart(entriesOf(parts[0])).remaining).toBe(parts.length - 1);
});

/** What a frame says, as who reads it finds it. */
function entriesOf(frame: Message): FrameEntries {
  const { text, tail } = fromMessage(frame);
  return { entries: JSON.parse(text), text, tail, types: allTypes(), size: frame.length };
}
