import { RpcError } from '../errors.ts';
import { Expiring, expiredError, forwardedRequest, isExpired } from './callers.ts';
import { FAILED, readToken } from './credentials.ts';
import { isUpgrade } from './offer.ts';
import { answerAllowed, type OriginOptions } from './origins.ts';
import { isBatch, notRpc } from './refusal.ts';

/** Matches what the runtime and its test tools throw if an object's class serves no requests. */
const WITHOUT_FETCH = /does not (export|define) a `?fetch\(\)/;

/** Credentials of a client. */
export interface Credentials {
  /** The client's `token` option, or the text after `Authorization: Bearer`; undefined if there is neither. */
  readonly token: string | undefined;
}

/** The names of the Durable Objects in an environment; any text if its type does not say. */
type NamespaceName<Env> = keyof Env extends never
  ? string
  : { [Name in keyof Env]: Env[Name] extends Pick<DurableObjectNamespace, 'idFromName'> ? Name : never }[keyof Env];

/** Options for routing requests to Durable Objects, whose bindings are those of `Env`. */
export interface RouteRpcOptions<Env = unknown> extends OriginOptions {
  /**
   * Names of the bindings whose objects serve RPC, such as `['COUNTER', 'ROOM']`. No request reaches, or wakes, an
   * object of another binding.
   * @default the only Durable Object in `env`; with several, `routeRpc` throws until they are named
   */
  bindings?: readonly NamespaceName<Env>[];
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
 * Forwards an upgrade or a batch of calls for `/rpc/<binding>/<instance>` to the Durable Object, with the headers that
 * these need. The binding matches regardless of case and with `-` for `_`; the instance is a name or an object's id.
 * Resolves to undefined if the path is not below the prefix.
 * @throws {TypeError} if `env` has several Durable Objects, and `bindings` does not say which of them serve RPC
 */
export async function routeRpc<Env extends object>(
  request: Request,
  env: Env,
  options: RouteRpcOptions<Env> = {},
): Promise<Response | undefined> {
  const pathname = pathOf(request.url);
  const prefix = `${(options.prefix ?? '/rpc').replace(/\/$/, '')}/`;
  if (!`${pathname}/`.startsWith(prefix)) return undefined;
  const [binding, instance, ...rest] = pathname.slice(prefix.length).split('/').map(decode);
  const { bindings = theOnly(env) } = options;
  return answerAllowed(request, options, 'routeRpc', () => {
    if (!binding || rest.some((part) => part !== '')) {
      throw notFound(`the URL should be ${prefix}<binding>/<instance>, such as ${prefix}counter/main`);
    }
    if (!instance) throw notFound(`an instance is missing: write ${prefix}${binding}/<name>`);
    const name = bindings.find((each) => normalized(String(each)) === normalized(binding));
    return forward(request, name && env[name as keyof Env], binding, instance, options);
  });
}

/**
 * Finds the object, and forwards the request to it with the caller's identity.
 * @throws {RpcError} if there is no such object, or the caller may not call it
 */
async function forward(
  request: Request,
  namespace: unknown,
  binding: string,
  instance: string,
  { authenticate, compress = false, locationHint }: Omit<RouteRpcOptions, 'bindings'>,
): Promise<Response> {
  if (!isNamespace(namespace)) {
    const what = `no Durable Object is bound as ${JSON.stringify(binding)}`;
    throw notFound(`${what}: see wrangler.toml, and bindings of routeRpc`);
  }
  let onward: Request | Response | undefined;
  try {
    const identity = authenticate && (await identify(request, authenticate));
    onward = identity instanceof Response ? identity : await forwardedRequest(request, identity, compress);
  } catch (error) {
    if (error instanceof RpcError) throw error;
    // Also if the identity cannot be encoded, or if the body, which holds calls, has been read.
    console.error('authenticate() failed:', error);
    throw new RpcError('NOT_EXECUTED', 'the server could not find out who is calling: its log says why');
  }
  if (onward instanceof Response) return onward;
  const id = objectId(namespace, instance);
  if (id === undefined) throw notFound(`${instance} is the id of no object of ${binding}`);
  if (!isForObjects(request)) return notRpc(request);
  const object = namespace.get(id, locationHint === undefined ? {} : { locationHint });
  const answer = await object.fetch(onward).catch((error) => {
    if (!WITHOUT_FETCH.test(error?.message)) throw error;
    throw notFound(`the class bound as ${JSON.stringify(binding)} has no fetch(): it should extend RpcObject`);
  });
  // The headers of a fetched response are immutable. The copy, of upgrades too, lets surrounding middleware set
  // headers.
  return new Response(answer.body, answer);
}

/**
 * Asks who the caller is.
 * @throws {RpcError} if nobody knows
 */
async function identify(
  request: Request,
  authenticate: NonNullable<RouteRpcOptions['authenticate']>,
): Promise<unknown> {
  const token = readToken(request);
  const identity = await authenticate(request, { token });
  const known = identity instanceof Expiring ? identity.identity : identity;
  if (known === undefined || known === null || known === false) {
    // Never says why a token was turned down: who guesses at tokens would learn from it.
    throw new RpcError('DENIED', FAILED + (token === undefined ? ': no token was given' : ''));
  }
  if (identity instanceof Expiring && isExpired(identity)) throw expiredError();
  return identity;
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

/** Returns the name of the only Durable Object of an environment, in a list, which is empty if there is none. */
function theOnly<Env extends object>(env: Env): readonly (keyof Env)[] {
  // Tools, such as those that run tests in the runtime, have bindings of their own in it.
  const names = Object.keys(env).filter((name) => !name.startsWith('__') && isNamespace(env[name as never]));
  if (names.length < 2) return names as (keyof Env)[];
  throw new TypeError(`routeRpc: name those Durable Objects that serve RPC: { bindings: ['${names[0]}'] }`);
}

function normalized(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}

function isNamespace(value: unknown): value is DurableObjectNamespace {
  const isLike = typeof (value as Partial<DurableObjectNamespace> | null | undefined)?.idFromName === 'function';
  // The binding of a service has every name, and would call its service by it.
  return isLike && !('fetch' in (value as object));
}

/** Returns true for upgrades and for batches, also of other protocols: batches of Cap'n Web are plain text. */
function isForObjects(request: Request): boolean {
  const isText = request.method === 'POST' && /^(text\/plain\b|$)/i.test(request.headers.get('Content-Type') ?? '');
  return isText || isBatch(request) || isUpgrade(request);
}

function objectId(namespace: DurableObjectNamespace, instance: string): DurableObjectId | undefined {
  if (!/^[0-9a-f]{64}$/.test(instance)) return namespace.idFromName(instance);
  try {
    return namespace.idFromString(instance);
  } catch {
    return undefined;
  }
}
