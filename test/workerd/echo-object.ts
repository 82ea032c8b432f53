import { DurableObject } from 'cloudflare:workers';
import type { Message, Transport } from '@lumenize/rpc';
import { ClientSocket, receiveMessage, serveAccepted } from '../../packages/rpc/src/server/connections/attachment.ts';
import { type Opened, type Opening, openNativeConnection } from '../../packages/rpc/src/server/native-connection.ts';
import { createServerContext } from '../../packages/rpc/src/server/server-context.ts';
import type { ServerSession } from '../../packages/rpc/src/server/session.ts';

const way = (socket: WebSocket) =>
  new ClientSocket(socket, createServerContext({}), { identity: undefined, connectionId: '' });

/** Stands where a session is, which reads frames: sends back what it receives, whatever that says. */
const echo = (channel: Transport) =>
  ({
    receive: (frame: Message) => channel.send(frame),
    receiveText: () => channel.close(1003, ''),
    closed: () => {},
  }) as unknown as ServerSession;

/** Sends frames back by all ways that an object has to its clients: below its path `/accept` without hibernating. */
export class EchoObject extends DurableObject {
  openRpcConnection(...opening: Opening): Opened {
    return openNativeConnection(opening, echo);
  }

  override fetch(request: Request): Response {
    const [client, server] = Object.values(new WebSocketPair());
    if (new URL(request.url).pathname === '/accept') serveAccepted(server, echo(way(server)));
    else this.ctx.acceptWebSocket(server);
    return new Response(null, {
      status: 101,
      webSocket: client,
      headers: { 'Sec-WebSocket-Protocol': 'lumenize.rpc.2' },
    });
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    receiveMessage(echo(way(socket)), message);
  }
}
