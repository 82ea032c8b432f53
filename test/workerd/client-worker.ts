import { connect } from '@lumenize/rpc';

/** Connects to the server whose URL is the query of a request, and answers with the code that a call there rejects with. */
export default {
  async fetch(request) {
    const url = decodeURIComponent(new URL(request.url).search.slice(1));
    using stub = connect(url, { heartbeat: false, reconnect: false });
    const failed = await stub.call().catch((error: { code?: string }) => error);
    return new Response(failed.code);
  },
} satisfies ExportedHandler;
