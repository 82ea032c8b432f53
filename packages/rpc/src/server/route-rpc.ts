import { RpcError } from '../errors/rpc-error.ts';
import { forObject } from './connection-info.ts';
import { type OriginOptions, originAllowed, preflight, withCors } from './origins.ts';
import { refuse } from './refusal.ts';

/** How requests reach objects. */
export interface RouteRpcOptions extends OriginOptions {
  /** The path that comes before `/<binding>/<instance>`. @default '/rpc' */
  prefix?: string;
  /**
   * Says who the caller is, before the object is woken: any value that can be cloned, which `target` finds as
   * `caller.identity`. Returning undefined denies; a Response is returned to the client as it is.
   */
  authenticate?: (request: Request) => unknown;
  /** Let sockets compress frames. @default false: it takes longer than most networks, and values are compact as they are */
  compress?: boolean;
}

/**
 * Forwards a request, an upgrade or a batch of calls, for `/rpc/<binding>/<instance>` to the Durable Object: the binding regardless of case and with
 * `-` for `_`, the instance by name, or by id where it is one. Undefined where the path is not below the prefix.
 */
export async function routeRpc(
  request: Request,
  env: object,
  options: RouteRpcOptions = {},
): Promise<Response | undefined> {
  const { pathname } = new URL(request.url);
  const prefix = `${(options.prefix ?? '/rpc').replace(/\/$/, '')}/`;
  if (`${pathname}/` === prefix) return notFound(request, usage(prefix));
  if (!pathname.startsWith(prefix)) return undefined;

  const [binding, instance, ...rest] = pathname.slice(prefix.length).split('/').map(decode);
  if (!binding || rest.some((part) => part !== '')) return notFound(request, usage(prefix));
  if (!instance) {
    return notFound(request, `an instance is missing: write ${prefix}${binding}/<name>`);
  }
  if (!originAllowed(request, options)) {
    return denied(request, 'pages of this origin may not connect: see allowedOrigins of routeRpc');
  }
  const answer = preflight(request, options) ?? (await forward(request, env, binding, instance, options));
  return withCors(answer, request, options);
}

/** Finds the object, and hands it the request with the caller's identity. */
async function forward(
  request: Request,
  env: object,
  binding: string,
  instance: string,
  options: RouteRpcOptions,
): Promise<Response> {
  const namespace = findNamespace(env, binding);
  if (namespace === undefined) {
    return notFound(
      request,
      `no Durable Object is bound as ${JSON.stringify(binding)}: see durable_objects.bindings in wrangler.toml`,
    );
  }
  const identity = await options.authenticate?.(request);
  if (identity instanceof Response) return identity;
  if (options.authenticate !== undefined && identity === undefined) {
    return denied(request, 'authentication failed');
  }
  const id = objectId(namespace, instance);
  if (id === undefined) return notFound(request, `${instance} is the id of no object of ${binding}`);
  return namespace.get(id).fetch(forObject(request, identity, options.compress ?? false));
}

function notFound(request: Request, message: string): Response {
  return refuse(request, new RpcError('NOT_FOUND', message));
}

function denied(request: Request, message: string): Response {
  return refuse(request, new RpcError('DENIED', message));
}

function usage(prefix: string): string {
  return `the URL should be ${prefix}<binding>/<instance>, such as ${prefix}counter/main`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function findNamespace(env: object, binding: string): DurableObjectNamespace | undefined {
  const wanted = normalized(binding);
  for (const [name, value] of Object.entries(env)) {
    if (normalized(name) === wanted && isNamespace(value)) return value;
  }
  return undefined;
}

function normalized(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}

function isNamespace(value: unknown): value is DurableObjectNamespace {
  return typeof (value as Partial<DurableObjectNamespace> | null)?.idFromName === 'function';
}

function objectId(namespace: DurableObjectNamespace, instance: string): DurableObjectId | undefined {
  if (!/^[0-9a-f]{64}$/.test(instance)) return namespace.idFromName(instance);
  try {
    return namespace.idFromString(instance);
  } catch {
    return undefined;
  }
}
