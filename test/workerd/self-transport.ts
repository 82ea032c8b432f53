import { SELF } from 'cloudflare:test';
import { type ConnectOptions, connectOver, type OpenTransport, type Stub } from '@lumenize/rpc';

const SUBPROTOCOL = 'lumenize.rpc.1';

/** Upgrades a request to the Worker under test and returns the client's end of the socket, not accepted yet. */
export async function upgrade(path: string, headers: Record<string, string> = {}): Promise<WebSocket> {
  const response = await SELF.fetch(`http://worker.test${path}`, {
    headers: { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': SUBPROTOCOL, ...headers },
  });
  if (response.webSocket === null) throw new Error(`no socket but ${response.status}: ${await response.text()}`);
  return response.webSocket;
}

/**
 * Carries frames over a real socket between this test and the Worker, which runs in the same workerd. With `reconnects` its
 * connections are made again by themselves.
 */
export function selfTransport(path: string, reconnects = false): OpenTransport {
  return (events, offer) => {
    const headers = reconnects ? { 'Sec-WebSocket-Protocol': offer.join() } : undefined;
    const opening = upgrade(path, headers).then((socket) => {
      socket.binaryType = 'arraybuffer';
      socket.addEventListener('message', ({ data }) => {
        if (data === 'pong') events.alive();
        else events.received(new Uint8Array(data as ArrayBuffer));
      });
      socket.addEventListener('close', ({ code, reason }) => events.lost(code, reason));
      socket.accept();
      events.opened();
      return socket;
    });
    opening.catch((error) => events.lost(1006, String(error)));
    return {
      send: (frame) => void opening.then((socket) => socket.send(frame)),
      close: (code, reason) => void opening.then((socket) => socket.close(code, reason)),
      ...(reconnects && { probe: () => void opening.then((socket) => socket.send('ping')) }),
    };
  };
}

/** Connects to an object of the Worker under test. */
export function connectToSelf<Api extends object>(path: string, options?: ConnectOptions): Stub<Api> {
  return connectOver<Api>(selfTransport(path), path, options);
}
