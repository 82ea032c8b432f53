import { routeRpc } from '@lumenize/rpc/server';
import { callerName } from './room/caller-name.ts';

export { LiveCounter } from './counter/live-counter.ts';
export { RaceCapnWeb } from './race/race-capnweb.ts';
export { RaceLumenize } from './race/race-lumenize.ts';
export { Room } from './room/room.ts';
export { ValueLab } from './values/value-lab.ts';

/** The bindings that `wrangler.toml` gives this Worker. */
export interface Env {
  COUNTER: DurableObjectNamespace;
  RACE: DurableObjectNamespace;
  RACE_CAPNWEB: DurableObjectNamespace;
  ROOM: DurableObjectNamespace;
  VALUES: DurableObjectNamespace;
}

/** Objects at `/rpc/<binding>/<name>`, Cap'n Web's side of the race at `/capnweb/race/<name>`; the page is an asset. */
export default {
  async fetch(request, env) {
    const answer = await routeRpc(request, env, {
      bindings: ['COUNTER', 'RACE', 'ROOM', 'VALUES'],
      authenticate: (_request, { token }) => callerName(token),
    });
    return answer ?? routeCapnWeb(request, env) ?? new Response('Not found', { status: 404 });
  },
} satisfies ExportedHandler<Env>;

function routeCapnWeb(request: Request, env: Env): Promise<Response> | undefined {
  const [, name] = /^\/capnweb\/race\/([^/]+)$/.exec(new URL(request.url).pathname) ?? [];
  return name === undefined ? undefined : env.RACE_CAPNWEB.getByName(name).fetch(request);
}
