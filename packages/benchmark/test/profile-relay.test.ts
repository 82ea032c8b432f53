import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { Relay } from '../src/profile/relay.ts';

describe('Relay', () => {
  let server: WebSocketServer;
  let relay: Relay;
  const open = async (delayMs?: number) => {
    relay = await Relay.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, delayMs);
    const socket = new WebSocket(relay.url.replace('http', 'ws'));
    await once(socket, 'open');
    return socket;
  };
  beforeEach(async () => {
    server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
    await once(server, 'listening');
  });
  afterEach(() => {
    relay.close();
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
    socket.send('call');
    await once(socket, 'message');
    socket.send('release');
    await second.promise;
    const call = 2 + 4 + 'call'.length;
    const down = { frames: 1, bytes: 2 + 'answer'.length };
    expect(relay.passed).toEqual({ up: { frames: 2, bytes: call + 2 + 4 + 'release'.length }, down });
    expect(relay.passedAtLastDown).toEqual({ up: { frames: 1, bytes: call }, down });
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
});
