import { socketTransport } from './socket.ts';
import type { OpenTransport } from './transport.ts';

/** Connects with the platform's own WebSocket: browsers, Node from version 22, Workers. */
export function webSocketTransport(url: string): OpenTransport {
  return socketTransport((protocols) => new WebSocket(url, protocols));
}
