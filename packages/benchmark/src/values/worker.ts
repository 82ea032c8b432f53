// The Worker that codecs are measured in: a socket, a request for some operations at a time.
import { type Bench, LocalBench } from './bench.ts';

/** The part in use of what Workers have for sockets; this package is compiled without their types. */
interface ServerSocket {
  accept(): void;
  send(text: string): void;
  addEventListener(type: 'message', listener: (event: { data: string }) => void): void;
}
declare const WebSocketPair: new () => { 0: WebSocket; 1: ServerSocket };

const bench = new LocalBench();

export default {
  fetch(request: Request): Response {
    if (request.headers.get('Upgrade') !== 'websocket') return new Response('Only sockets', { status: 426 });
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    server.addEventListener('message', async ({ data }) =>
      server.send(JSON.stringify(await replyTo(JSON.parse(data)))),
    );
    return new Response(null, { status: 101, webSocket: client } as ResponseInit);
  },
};

/** Calls a method of the bench. */
async function replyTo({ id, method, asked }: { id: number; method: keyof Bench; asked: unknown }): Promise<object> {
  try {
    return { id, result: await bench[method](asked as never) };
  } catch (error) {
    return { id, error: { message: error instanceof Error ? error.stack : String(error) } };
  }
}
