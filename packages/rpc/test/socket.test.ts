import { EventEmitter, once } from 'node:events';
import { connect } from '@lumenize/rpc';
import { connectSocket, RpcTarget, type ServedSocket, SUBPROTOCOL, serveSocket } from '@lumenize/rpc/socket';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type ServedWs, serveWs } from '../../../test/support/serve-ws.ts';

class Target extends RpcTarget {
  greet(name: string): string {
    return `Hello, ${name}`;
  }

  never(): Promise<void> {
    return new Promise(() => {});
  }
}

let server: ServedWs | undefined;
afterEach(() => server?.[Symbol.asyncDispose]());

describe('a socket', () => {
  test('that is open already is used at once', async () => {
    server = await serveWs((socket) => serveSocket(socket, new Target()));
    const socket = new WebSocket(server.url, [SUBPROTOCOL]);
    await once(socket, 'open');
    using stub = connectSocket<Target>(() => socket);
    expect(await stub.greet('Ada')).toBe('Hello, Ada');
  });

  test('is made again when the connection was lost', async () => {
    server = await serveWs((socket) => serveSocket(socket, new Target()));
    const sockets: WebSocket[] = [];
    using stub = connectSocket<Target>(() => {
      const socket = new WebSocket(server!.url, [SUBPROTOCOL]);
      sockets.push(socket);
      return socket;
    });
    const outcome = expect(stub.never()).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await stub.greet('Ada');
    sockets[0].terminate();
    await outcome;
    expect(await stub.greet('Bob')).toBe('Hello, Bob');
    expect(sockets.length).toBe(2);
  });

  test('with listeners like those of Node serves and is served', async () => {
    // All that its class has are `on`, `off`, `send` and `close`.
    const bare = (socket: WebSocket) =>
      Object.assign(Object.create(null), {
        on: socket.on.bind(socket),
        off: socket.off.bind(socket),
        send: socket.send.bind(socket),
        close: socket.close.bind(socket),
      });
    server = await serveWs((socket) => serveSocket(bare(socket), new Target()));
    using stub = connectSocket<Target>(() => bare(new WebSocket(server!.url, [SUBPROTOCOL])));
    expect(await stub.greet('Ada')).toBe('Hello, Ada');
  });

  test('without events is served by a handler for all sockets', async () => {
    const served = new Map<WebSocket, ServedSocket>();
    server = await serveWs((socket) => {
      // As a server does that has one handler for the messages of all sockets.
      const { send, close } = socket;
      served.set(socket, serveSocket({ send: send.bind(socket), close: close.bind(socket) }, new Target()));
      socket.on('message', (message) => served.get(socket)!.receive(message));
      socket.on('close', () => served.get(socket)!.closed());
    });
    using stub = connect<Target>(server.url);
    expect(await stub.greet('Ada')).toBe('Hello, Ada');
  });

  test.each([
    ['events', (socket: WebSocket) => socket],
    [
      'listeners like those of Node',
      (socket: WebSocket) => ({ on: socket.on.bind(socket), off: socket.off.bind(socket) }),
    ],
  ])('with %s answers a heartbeat', async (_what, events) => {
    server = await serveWs((socket) => {
      const { send, close } = socket;
      serveSocket(Object.assign(events(socket), { send: send.bind(socket), close: close.bind(socket) }), new Target());
    });
    const socket = new WebSocket(server.url, [SUBPROTOCOL]);
    socket.on('open', () => socket.send('ping'));
    const [message, isBinary] = await once(socket, 'message');
    expect([String(message), isBinary]).toEqual(['pong', false]);
    socket.close();
  });

  test('without events answers a heartbeat', async () => {
    const sent: unknown[] = [];
    serveSocket({ send: (message) => sent.push(message), close: (code) => sent.push(code) }, new Target()).receive(
      'ping',
    );
    expect(sent).toEqual(['pong']);
  });

  test.each([
    ['text', 'hello', 1007],
    ['text that is no frame though it begins as one', '[hello', 1007],
    ['no frame', new Uint8Array([255]), 1007],
  ])('on which comes %s is closed', async (_what, message, code) => {
    server = await serveWs((socket) => serveSocket(socket, new Target()));
    const socket = new WebSocket(server.url, [SUBPROTOCOL]);
    socket.on('open', () => socket.send(message));
    expect((await once(socket, 'close'))[0]).toBe(code);
  });

  test('of another version is refused', async () => {
    server = await serveWs((socket) => serveSocket(socket, new Target()));
    const socket = new WebSocket(server.url, ['lumenize.rpc.99']);
    const [code, reason] = await once(socket, 'close');
    expect([code, String(reason)]).toEqual([
      4400,
      expect.stringMatching(/^VERSION_MISMATCH: .*version 3 .*: reload the page, or update the older side$/),
    ]);
  });

  test.each([
    ['by a close', ['close', 1006, 'no one there'], '(1006 no one there)'],
    ['by an error alone, as in Node 22', ['error', new Error('no one there')], '(1006)'],
  ] as const)('that fails %s before it is open rejects the calls that wait for it', async (_how, event, message) => {
    using stub = connectSocket<Target>(
      () => {
        const socket = new EventEmitter();
        queueMicrotask(() => socket.emit(...(event as [string, unknown])));
        return Object.assign(socket, { readyState: 0, send() {}, close() {} });
      },
      { maxWaitMs: 0, connectTimeoutMs: Number.POSITIVE_INFINITY },
    );
    await expect(stub.greet('Ada')).rejects.toMatchObject({
      code: 'NOT_EXECUTED',
      message: expect.stringContaining(message),
    });
  });
});
