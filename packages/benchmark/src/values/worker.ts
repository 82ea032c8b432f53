// The Worker that codecs are measured in: a socket, a request for some operations at a time.
import { PORTABLE_CODECS } from '../codecs/portable.ts';
import type { BenchReply, BenchRequest } from './bench-messages.ts';
import { LocalBench } from './local-bench.ts';
import { assertNoCodeGeneration } from './no-code-generation.ts';

/** The part in use of what Workers have for sockets; this package is compiled without their types. */
interface ServerSocket {
  accept(): void;
  send(text: string): void;
  addEventListener(type: 'message', listener: (event: { data: string }) => void): void;
}
declare const WebSocketPair: new () => { 0: WebSocket; 1: ServerSocket };

const bench = new LocalBench(PORTABLE_CODECS);

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

async function replyTo(request: BenchRequest): Promise<BenchReply> {
  try {
    switch (request.type) {
      case 'check':
        assertNoCodeGeneration();
        return {};
      case 'verify':
        return { verification: await bench.verify(request.payload, request.codec, request.sizes) };
      case 'time':
        bench.time(request.payload, request.codec, request.operation, request.count);
        return {};
      case 'forget':
        bench.forget(request.payload);
        return {};
      default:
        throw new Error(`unknown request ${JSON.stringify(request satisfies never)}`);
    }
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
