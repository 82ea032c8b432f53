import { DurableObject } from 'cloudflare:workers';

/** Accepts sockets as the library does, and does nothing else that it does: what a connection costs the platform. */
export class RawObject extends DurableObject {
  override async fetch(): Promise<Response> {
    const [client, server] = Object.values(new WebSocketPair());
    const name = crypto.randomUUID().replaceAll('-', '');
    this.ctx.acceptWebSocket(server, ['lumenize.rpc', `lumenize.rpc:${name}`]);
    server.serializeAttachment({
      lumenizeRpc: 3,
      identity: '1',
      connectionId: name,
    });
    return new Response(null, {
      status: 101,
      webSocket: client,
      headers: { 'Sec-WebSocket-Protocol': 'lumenize.rpc.3' },
    });
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    socket.send(message);
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    socket.close(code === 1005 || code === 1006 ? 1000 : code);
  }
}
