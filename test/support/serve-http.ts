import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a test's server does with a request, like the handler of a Worker; null cuts the connection. */
export type HttpHandler = (request: Request) => Response | null | Promise<Response | null>;

/** An HTTP server on a free port of the loopback address. */
export interface ServedHttp extends AsyncDisposable {
  readonly url: string;
}

export async function serveHttp(handler: HttpHandler): Promise<ServedHttp> {
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing, handler));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse, handler: HttpHandler): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method, url, headers } = incoming;
  const response = await handler(
    new Request(`http://${headers.host}${url}`, {
      method,
      headers: headers as Record<string, string>,
      body: method === 'POST' ? Buffer.concat(chunks) : undefined,
    }),
  );
  if (response === null) return void outgoing.destroy();
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}
