import { connect } from '@lumenize/rpc';
import { callContext } from '@lumenize/rpc/server';
import { RpcTarget, SUBPROTOCOL, serveSocket } from '@lumenize/rpc/socket';

let aborted = 0;

class Waiting extends RpcTarget {
  wait(): Promise<void> {
    callContext().signal.addEventListener('abort', () => aborted++);
    return new Promise(() => {});
  }
}

/**
 * Serves sockets, and says how many calls over them were aborted. For any other request, connects to the server whose
 * URL is the query, and answers with the code that a call there rejects with.
 */
export default {
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    if (pathname === '/aborted') return new Response(String(aborted));
    if (pathname === '/serve') {
      const [theirs, ours] = Object.values(new WebSocketPair());
      ours.accept();
      serveSocket(ours as never, new Waiting());
      const headers = { 'Sec-WebSocket-Protocol': SUBPROTOCOL };
      return new Response(null, { status: 101, webSocket: theirs, headers });
    }
    using stub = connect(decodeURIComponent(search.slice(1)), { heartbeat: false, reconnect: false });
    const failed = await stub.call().catch((error: { code?: string }) => error);
    return new Response(failed.code);
  },
} satisfies ExportedHandler;
