import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { openRelay, type Relay } from '@lumenize/hosts/relay';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';

describe('openRelay', () => {
  let server: WebSocketServer;
  let relay: Relay;
  const open = async (delayMs?: number) => {
    relay = await openRelay(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, delayMs);
    const socket = new WebSocket(relay.url.replace('http', 'ws'));
    await once(socket, 'open');
    return socket;
  };
  beforeEach(async () => {
    server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
    await once(server, 'listening');
  });
  afterEach(() => {
    relay[Symbol.dispose]();
    server.close();
  });

  it('counts what passes, and apart from that what had passed when the last answer came', async () => {
    const second = Promise.withResolvers<void>();
    server.on('connection', (socket) => {
      socket.once('message', () => {
        socket.send('answer');
        socket.once('message', () => second.resolve());
      });
    });
    const socket = await open();
    const before = relay.passed();
    socket.send('call');
    await once(socket, 'message');
    socket.send('release');
    await second.promise;
    // A frame has a header of two bytes, and the client's a mask of four.
    const call = 2 + 4 + 'call'.length;
    const down = before.down + 2 + 'answer'.length;
    expect(relay.passed()).toEqual({ up: before.up + call + 2 + 4 + 'release'.length, down });
    expect(relay.passedAtLastDown()).toEqual({ up: before.up + call, down });
  });

  it('holds what passes back, in order', async () => {
    server.on('connection', (socket) => socket.on('message', (data) => socket.send(String(data))));
    const socket = await open(40);
    const heard: unknown[] = [];
    const all = new Promise<void>((resolve) => {
      socket.addEventListener('message', ({ data }) => heard.push(data) === 4 && resolve());
    });
    for (const text of ['a', 'b', 'c']) socket.send(text);
    // Begun before the relay's own timers and shorter than them, so it ends before, however slow everything is.
    setTimeout(() => heard.push('nothing yet'), 30);
    await all;
    expect(heard).toEqual(['nothing yet', 'a', 'b', 'c']);
  });

  it('closes what is behind it when the client closes', async () => {
    const gone = new Promise((resolve) => server.on('connection', (socket) => socket.once('close', resolve)));
    const socket = await open();
    socket.close();
    await gone;
  });

  it('resets whatever is connected where it is told to', async () => {
    const socket = await open();
    const closed = once(socket, 'close');
    relay.cut();
    await closed;
    expect(socket.readyState).toBe(WebSocket.CLOSED);
  });
});
