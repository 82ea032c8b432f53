// The Worker that codecs are measured in: a socket, a request for some operations at a time.
import { type Bench, LocalBench } from '../src/values/bench.ts';

const bench = new LocalBench();

export default {
  fetch(request: Request): Response {
    if (request.headers.get('Upgrade') !== 'websocket') return new Response('Only sockets', { status: 426 });
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    server.addEventListener('message', async ({ data }) =>
      server.send(JSON.stringify(await replyTo(JSON.parse(data as string)))),
    );
    return new Response(null, { status: 101, webSocket: client });
  },
} satisfies ExportedHandler;

/** Calls a method of the bench. */
async function replyTo({ id, method, asked }: { id: number; method: keyof Bench; asked: unknown }): Promise<object> {
  try {
    return { id, result: await bench[method](asked as never) };
  } catch (error) {
    return { id, error: { message: error instanceof Error ? error.stack : String(error) } };
  }
}
