import { routeRpc } from '@lumenize/rpc/server';
import { routePartykitRequest } from 'partyserver';

export { Room } from './room.ts';

export default {
  async fetch(request, env) {
    // /parties/room/lobby and /rpc/room/lobby are the same object. Callers have the name that they say, which nobody checks:
    // yours has to look at a session, or at a signed token.
    return (
      (await routePartykitRequest(request, env)) ??
      (await routeRpc(request, env, { authenticate: (_request, { token }) => token })) ??
      new Response('Not found', { status: 404 })
    );
  },
} satisfies ExportedHandler<Cloudflare.Env>;
