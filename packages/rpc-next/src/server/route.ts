import { RpcError } from '../errors.ts';
import { TOKEN_PREFIX } from '../protocol.ts';
import { cfWith } from './callers.ts';
import { refuse } from './refusal.ts';

/** Options for routing requests to Durable Objects. */
export interface RouteRpcOptions {
  /** The path in front of `/<binding>/<instance>`. @default '/rpc' */
  prefix?: string;
  /** Identifies the caller before the object wakes. */
  authenticate?: (request: Request, credentials: { readonly token: string | undefined }) => unknown;
}

/** Forwards an upgrade or a batch of calls for `/rpc/<binding>/<instance>` to the Durable Object. */
export async function routeRpc(
  request: Request,
  env: object,
  { prefix = '/rpc', authenticate }: RouteRpcOptions = {},
): Promise<Response | undefined> {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith(`${prefix}/`)) return undefined;
  const [binding, instance] = pathname
    .slice(prefix.length + 1)
    .split('/')
    .map(decodeURIComponent);
  const namespace = (env as Record<string, DurableObjectNamespace>)[binding.toUpperCase().replaceAll('-', '_')];
  if (namespace === undefined || !instance) return new Response('Not found', { status: 404 });
  const headers = new Headers(request.headers);
  headers.set('Sec-WebSocket-Extensions', 'none');
  const offered = (headers.get('Sec-WebSocket-Protocol') ?? '').split(',').map((name) => name.trim());
  const bearer = /^bearer +(\S.*)$/i.exec(headers.get('Authorization') ?? '')?.[1];
  const shown = offered.find((name) => name.startsWith(TOKEN_PREFIX)) ?? bearer;
  const token = shown?.startsWith(TOKEN_PREFIX) ? decodeToken(shown.slice(TOKEN_PREFIX.length)) : shown;
  headers.delete('Authorization');
  headers.set('Sec-WebSocket-Protocol', offered.filter((name) => !name.startsWith(TOKEN_PREFIX)).join(', '));
  const identity = await authenticate?.(request, { token });
  const isNobody = identity === undefined || identity === null || identity === false;
  if (authenticate !== undefined && isNobody) {
    const error = new RpcError('DENIED', `authentication failed${token === undefined ? ': no token was given' : ''}`);
    return refuse(request, error);
  }
  const onward = new Request(request, { headers, cf: (await cfWith(request.cf ?? {}, identity)) as never });
  return namespace.get(namespace.idFromName(instance)).fetch(onward);
}

function decodeToken(token: string): string {
  return new TextDecoder().decode(
    Uint8Array.from(atob(token.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0)),
  );
}
