import { RpcError } from '../errors/rpc-error.ts';
import { ownOptions } from '../session/limits.ts';
import {
  Expiring,
  expiredError,
  FAILED,
  forwardedRequest,
  hasNoIdentity,
  isExpired,
  readToken,
} from './access/caller.ts';
import { answerAllowed, type OriginOptions } from './access/origins.ts';

/** Matches what the runtime and its test tools throw if an object's class serves no requests. */
const WITHOUT_FETCH = /does not (export|define) a `?fetch\(\)/;

/** Credentials of a client. */
export interface Credentials {
  /** The client's `token` option, or the text after `Authorization: Bearer`; undefined if there is neither. */
  readonly token: string | undefined;
}

/** Options for routing requests to Durable Objects. */
export interface RouteRpcOptions extends OriginOptions {
  /** The path in front of `/<binding>/<instance>`. @default '/rpc' */
  prefix?: string;
  /**
   * Identifies the caller before the object wakes. It returns any value that can be cloned, or
   * `expiring(identity, expiresAt)`; `target` finds the identity as `caller.identity`. Returning undefined, null or
   * false denies access; returning a Response sends it to the client as it is. If it throws an `RpcError`, the client's
   * calls reject with that error.
   */
  authenticate?: (request: Request, credentials: Credentials) => unknown;
  /** Lets sockets compress frames. @default false: compressing takes longer than sending does on most networks */
  compress?: boolean;
  /**
   * Location to create the object in if this is the first request for it: near its callers, or near the services it
   * talks to.
   * @default near the first caller
   */
  locationHint?: DurableObjectLocationHint;
}

/**
 * Forwards an upgrade or a batch of calls for `/rpc/<binding>/<instance>` to the Durable Object. The binding matches
 * regardless of case and with `-` for `_`; the instance is a name or an object's id. Resolves to undefined if the path
 * is not below the prefix.
 */
export async function routeRpc(
  request: Request,
  env: object,
  options?: RouteRpcOptions,
): Promise<Response | undefined> {
  const own = ownOptions(options);
  const pathname = pathOf(request.url);
  const prefix = `${(own.prefix ?? '/rpc').replace(/\/$/, '')}/`;
  if (!`${pathname}/`.startsWith(prefix)) return undefined;
  const [binding, instance, ...rest] = pathname.slice(prefix.length).split('/').map(decode);
  return answerAllowed(request, own, 'routeRpc', () => {
    if (!binding || rest.some((part) => part !== '')) {
      throw notFound(`the URL should be ${prefix}<binding>/<instance>, such as ${prefix}counter/main`);
    }
    if (!instance) throw notFound(`an instance is missing: write ${prefix}${binding}/<name>`);
    return forward(request, env, binding, instance, own);
  });
}

/**
 * Finds the object, and forwards the request to it with the caller's identity.
 * @throws {RpcError} if there is no such object, or the caller may not call it
 */
async function forward(
  request: Request,
  env: object,
  binding: string,
  instance: string,
  options: RouteRpcOptions,
): Promise<Response> {
  const namespace = findNamespace(env, binding);
  if (namespace === undefined) {
    const what = `no Durable Object is bound as ${JSON.stringify(binding)}`;
    throw notFound(`${what}: see durable_objects.bindings in wrangler.toml`);
  }
  const identity = await identify(request, options);
  if (identity instanceof Response) return identity;
  const id = objectId(namespace, instance);
  if (id === undefined) throw notFound(`${instance} is the id of no object of ${binding}`);
  const { compress = false, locationHint } = options;
  const object = namespace.get(id, locationHint === undefined ? {} : { locationHint });
  let onward: Request;
  try {
    onward = forwardedRequest(request, identity, compress);
  } catch (error) {
    // The identity cannot be encoded.
    throw unidentified(error);
  }
  const answer = await object.fetch(onward).catch((error) => {
    if (!WITHOUT_FETCH.test(error?.message)) throw error;
    throw notFound(`the class bound as ${JSON.stringify(binding)} has no fetch(): it should extend RpcObject`);
  });
  // The headers of a fetched response are immutable. The copy, of upgrades too, lets surrounding middleware set
  // headers.
  return new Response(answer.body, answer);
}

/**
 * Identifies the caller. Returns a response if `authenticate` does.
 * @throws {RpcError} if the caller cannot be identified
 */
async function identify(request: Request, { authenticate }: RouteRpcOptions): Promise<unknown> {
  if (authenticate === undefined) return undefined;
  const token = readToken(request);
  let identity: unknown;
  try {
    identity = await authenticate(request, { token });
  } catch (error) {
    if (error instanceof RpcError) throw error;
    throw unidentified(error);
  }
  // Never says why a token was turned down: who guesses at tokens would learn from it.
  if (hasNoIdentity(identity))
    throw new RpcError('DENIED', FAILED + (token === undefined ? ': no token was given' : ''));
  if (identity instanceof Expiring && isExpired(identity.expiresAt)) throw expiredError();
  return identity;
}

/** Logs why `authenticate` identified nobody, and returns what the caller is told. */
function unidentified(error: unknown): RpcError {
  console.error('authenticate() failed:', error);
  return new RpcError('NOT_EXECUTED', 'the server could not find out who is calling: its log says why');
}

function notFound(message: string): RpcError {
  return new RpcError('NOT_FOUND', message);
}

/** Returns the path of an absolute URL. The runtime has checked the URL, so nothing needs to parse it again. */
function pathOf(url: string): string {
  return /^[^/]*\/\/[^/?#]*([^?#]*)/.exec(url)![1];
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
  // Most bindings are in capital letters. Looking at each binding of an environment takes much longer.
  const usual = (env as Record<string, unknown>)[wanted.toUpperCase()];
  if (isNamespace(usual)) return usual;
  for (const [name, value] of Object.entries(env)) {
    if (normalized(name) === wanted && isNamespace(value)) return value;
  }
  return undefined;
}

function normalized(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}

function isNamespace(value: unknown): value is DurableObjectNamespace {
  const isLike = typeof (value as Partial<DurableObjectNamespace> | null)?.idFromName === 'function';
  // The binding of a service has every name, and would call its service by it.
  return isLike && !('fetch' in (value as object));
}

function objectId(namespace: DurableObjectNamespace, instance: string): DurableObjectId | undefined {
  if (!/^[0-9a-f]{64}$/.test(instance)) return namespace.idFromName(instance);
  try {
    return namespace.idFromString(instance);
  } catch {
    return undefined;
  }
}
