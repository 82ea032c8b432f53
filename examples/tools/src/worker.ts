import { type RouteRpcOptions, routeRpc } from '@lumenize/rpc/server';
import { answerMcp } from './mcp.ts';
import { answerOpenApi, describeOpenApi } from './openapi.ts';
import { KeeperApi, type User } from './shop.ts';
import { toolsOf } from './tools.ts';

export { Shop } from './shop.ts';

/** Who has which token: a real one is signed, or kept by an object. */
const USERS = new Map<string | undefined, User>([
  ['token-of-ada', { name: 'Ada', mayRestock: true }],
  ['token-of-eve', { name: 'Eve', mayRestock: false }],
]);
const OPTIONS = { authenticate: (_request, { token }) => USERS.get(token) } satisfies RouteRpcOptions;

export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    // /rpc/shop/main is the object itself; /mcp/shop/main and /api/shop/main are for those who do not speak RPC.
    const [, way, object, name, method] = url.pathname.split('/');
    if (way !== 'mcp' && way !== 'api') {
      return (await routeRpc(request, env, OPTIONS)) ?? new Response('Not found', { status: 404 });
    }
    const token = request.headers.get('Authorization')?.replace(/^Bearer /, '');
    if (!USERS.has(token)) return new Response('Who is calling?', { status: 401 });
    const route = async (inner: Request) =>
      (await routeRpc(inner, env, OPTIONS)) ?? new Response(null, { status: 404 });
    const tools = await toolsOf(new URL(`/rpc/${object}/${name}`, url), token, route, KeeperApi);
    if (way === 'mcp') return answerMcp(request, tools);
    if (method === undefined) return Response.json(describeOpenApi(url, tools));
    return answerOpenApi(request, method, tools);
  },
} satisfies ExportedHandler<{ SHOP: DurableObjectNamespace }>;
