import { SELF } from 'cloudflare:test';
import { connectOver } from '@lumenize/rpc';
import { CLOSE_ABNORMAL } from '../../packages/rpc/src/closes.ts';
import { REFUSED_SUBPROTOCOL } from '../../packages/rpc/src/protocol.ts';
import type { OpenTransport, Transport } from '../../packages/rpc/src/transport/transport.ts';
import { overWebSocket, type WebSocketLike } from '../../packages/rpc/src/transport/websocket.ts';

/** Connects to the Worker under test over a real socket; what is lost is not made again unless a test says so. */
export function connectToSelf<Api extends object>(path: string, options?: object): Api {
  return connectOver<Api>(selfTransport(path) as never, path, { reconnect: false, ...options }) as never;
}

function selfTransport(path: string): OpenTransport {
  return (events, offer) => {
    let inner: Transport | undefined;
    const headers = { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': offer.join(', ') };
    SELF.fetch(`http://worker.test${path}`, { headers }).then(({ webSocket, status, headers: answered }) => {
      if (webSocket === null) return events.closed(CLOSE_ABNORMAL, `answered ${status}`);
      inner = overWebSocket(() => webSocket as unknown as WebSocketLike)(events, []);
      webSocket.accept();
      if (answered.get('Sec-WebSocket-Protocol') !== REFUSED_SUBPROTOCOL) events.opened();
    });
    return {
      send: (message) => inner?.send(message),
      probe: () => inner?.probe?.(),
      close: (code, reason) => inner?.close(code, reason),
    };
  };
}
