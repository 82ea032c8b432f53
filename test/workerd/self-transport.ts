import { SELF } from 'cloudflare:test';
import type { ConnectOptions, Stub } from '@lumenize/rpc';
import { connectToWorker } from '@lumenize/rpc/testing/workers';

const SUBPROTOCOL = 'lumenize.rpc.2';

/** Upgrades a request to the Worker under test and returns the client's end of the socket, not accepted yet. */
export async function upgrade(path: string, headers: Record<string, string> = {}): Promise<WebSocket> {
  const response = await SELF.fetch(`http://worker.test${path}`, {
    headers: { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': SUBPROTOCOL, ...headers },
  });
  if (response.webSocket === null) throw new Error(`no socket but ${response.status}: ${await response.text()}`);
  return response.webSocket;
}

/** Connects to an object of the Worker under test; what is lost is not made again unless a test says so. */
export function connectToSelf<Api extends object>(path: string, options?: ConnectOptions): Stub<Api> {
  return connectToWorker<Api>(SELF, path, { reconnect: false, ...options });
}
