import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { openRelay, type Relay } from '@lumenize/hosts/relay';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';

describe('openRelay', () => {
  let server: WebSocketServer;
  let relay: Relay;
  const open = async () => {
    relay = await openRelay(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
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

  it('passes everything on in order, both ways', async () => {
    server.on('connection', (socket) => socket.on('message', (data) => socket.send(String(data))));
    const socket = await open();
    const heard: unknown[] = [];
    const all = new Promise<void>((resolve) => {
      socket.addEventListener('message', ({ data }) => heard.push(data) === 3 && resolve());
    });
    for (const text of ['a', 'b', 'c']) socket.send(text);
    await all;
    expect(heard).toEqual(['a', 'b', 'c']);
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
