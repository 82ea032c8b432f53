import { RpcError } from '../errors/rpc-error.ts';
import { Expiring, expiredError, forObject, isExpired, isNobody, readToken } from './access/caller.ts';
import { type OriginOptions, originAllowed, preflight, withCors } from './access/origins.ts';
import { refuse } from './refusal.ts';

/** Credentials of a client. */
export interface Credentials {
  /** The value of the client's option `token`, or the text after `Authorization: Bearer`; undefined where there is neither. */
  readonly token: string | undefined;
}

/** How requests reach objects. */
export interface RouteRpcOptions extends OriginOptions {
  /** The path that comes before `/<binding>/<instance>`. @default '/rpc' */
  prefix?: string;
  /**
   * Identifies the caller, before the object is woken, by any value that can be cloned, which `target` finds as
   * `caller.identity`, or `expiring(identity, expiresAt)`. Returning undefined, null or false denies; a Response is returned to the client
   * as it is, and an `RpcError` that is thrown is what its calls reject with.
   */
  authenticate?: (request: Request, credentials: Credentials) => unknown;
  /** Let sockets compress frames. @default false: it takes longer than most networks, and values are compact as they are */
  compress?: boolean;
  /** Where to create the object if this is the first request for it: near its callers, or near what it talks to. @default near the first caller */
  locationHint?: DurableObjectLocationHint;
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
  const identity = await identify(request, options);
  if (identity instanceof Response) return identity;
  const id = objectId(namespace, instance);
  if (id === undefined) return notFound(request, `${instance} is the id of no object of ${binding}`);
  const { compress = false, locationHint } = options;
  const object = namespace.get(id, locationHint === undefined ? {} : { locationHint });
  const answer = await object.fetch(forObject(request, identity, compress));
  // A copy, upgrades too: headers of what was fetched are fixed, and middleware around this may have some to set.
  return new Response(answer.body, answer);
}

/** Asks who is calling; returns a response where that is nobody. */
async function identify(request: Request, { authenticate }: RouteRpcOptions): Promise<unknown> {
  if (authenticate === undefined) return undefined;
  const { token, isReadable } = readToken(request);
  if (!isReadable)
    return denied(request, 'authentication failed: the token is empty, no base64url of UTF-8, or not the only one');
  let identity: unknown;
  try {
    identity = await authenticate(request, { token });
  } catch (error) {
    if (error instanceof RpcError) return refuse(request, error);
    console.error('authenticate() failed:', error);
    return refuse(
      request,
      new RpcError('NOT_EXECUTED', 'the server could not find out who is calling: its log says why'),
    );
  }
  if (isNobody(identity)) return denied(request, 'authentication failed');
  if (!(identity instanceof Expiring)) return identity;
  return isExpired(identity.expiresAt) ? refuse(request, expiredError()) : identity;
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
