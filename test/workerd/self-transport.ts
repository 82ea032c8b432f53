import { SELF } from 'cloudflare:test';
import { type ConnectOptions, connectOver, type OpenTransport, type Stub, type Transport } from '@lumenize/rpc';
import { CLOSE_ABNORMAL, CLOSE_NORMAL } from '../../packages/rpc/src/closes.ts';
import { REFUSED_SUBPROTOCOL, SUBPROTOCOL } from '../../packages/rpc/src/protocol.ts';
import { overWebSocket, type WebSocketLike } from '../../packages/rpc/src/transport/websocket.ts';

/** Upgrades a request to the Worker under test and returns the client's end of the socket, not accepted yet. */
export async function upgrade(path: string, headers: Record<string, string> = {}): Promise<WebSocket> {
  const response = await SELF.fetch(`http://worker.test${path}`, {
    headers: { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': SUBPROTOCOL, ...headers },
  });
  if (response.webSocket === null) throw new Error(`no socket but ${response.status}: ${await response.text()}`);
  return response.webSocket;
}

/** Connects to the Worker under test over a real socket; what is lost is not made again unless a test says so. */
export function connectToSelf<Api extends object>(path: string, options?: ConnectOptions): Stub<Api> {
  return connectOver<Api>(selfTransport(path), path, { reconnect: false, ...options });
}

function selfTransport(path: string): OpenTransport {
  return (events, offer) => {
    let inner: Transport | undefined;
    let isOver = false;
    const headers = { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': offer.join(', ') };
    SELF.fetch(`http://worker.test${path}`, { headers }).then(({ webSocket, status, headers: answered }) => {
      if (webSocket === null) return events.closed(CLOSE_ABNORMAL, `answered ${status}`);
      inner = overWebSocket(() => webSocket as unknown as WebSocketLike)(events, []);
      webSocket.accept();
      if (isOver) webSocket.close(CLOSE_NORMAL, '');
      else if (answered.get('Sec-WebSocket-Protocol') !== REFUSED_SUBPROTOCOL) events.opened();
    });
    return {
      send: (message) => inner?.send(message),
      probe: () => inner?.probe?.(),
      waiting: () => inner?.waiting?.() ?? 0,
      close(code, reason) {
        isOver = true;
        inner?.close(code, reason);
      },
    };
  };
}
