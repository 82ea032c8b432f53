import { RpcError } from '../errors.ts';
import { refuse } from './refusal.ts';

/** Options for the pages that may connect. */
export interface OriginOptions {
  /**
   * Origins besides the Worker's own whose pages may connect, such as `['https://example.com']`; `['*']` allows any. An
   * entry with a path, or with another wildcard, throws a `TypeError`.
   * @default none
   */
  allowedOrigins?: readonly string[];
  /**
   * Answers CORS preflights for the allowed origins, so that their pages may POST. False leaves that to the Worker.
   * @default true
   */
  cors?: boolean;
}

/**
 * Answers a request if its page may connect, and adds the CORS headers. `where` names the function whose
 * `allowedOrigins` decides. Preflights do not reach `answer`; an `RpcError` that it throws refuses the request.
 */
export async function answerAllowed(
  request: Request,
  options: OriginOptions,
  where: string,
  answer: () => Response | Promise<Response>,
): Promise<Response> {
  const { allowedOrigins = [], cors = true } = options;
  // A text would allow each origin that is a part of it.
  const allowed = Array.isArray(allowedOrigins) ? allowedOrigins.map(originOf) : [undefined];
  if (allowed.includes(undefined)) {
    throw new TypeError(`allowedOrigins of ${where} has to be a list of origins, not ${allowedOrigins}`);
  }
  const origin = foreignOrigin(request);
  const isListed = origin !== undefined && allowed.includes(origin);
  if (origin !== undefined && !isListed && !allowed.includes('*')) {
    const message = `pages of this origin may not connect: see allowedOrigins of ${where}`;
    return refuse(request, new RpcError('DENIED', message));
  }
  let response = cors ? preflight(request) : undefined;
  try {
    response ??= await answer();
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    response = refuse(request, error);
  }
  return origin === undefined || !cors || response.webSocket ? response : withCors(response, origin, isListed);
}

/** Returns an entry of a list of origins as browsers write it; undefined if no browser would send it. */
function originOf(entry: string): string | undefined {
  if (entry === '*' || entry === 'null') return entry;
  if (!/^(?!ws)[\w+.-]+:\/\/[^/?#@*]+\/?$/i.test(entry)) return undefined;
  const { protocol, host } = new URL(entry);
  return `${protocol}//${host}`;
}

/**
 * Time for which a browser may remember the answer to a preflight, in seconds. No browser remembers it for longer than
 * two hours.
 */
const MAX_AGE_SECONDS = 7200;

/**
 * Returns the origin of the page that a request comes from; undefined if it is the Worker's own, or if there is no page.
 * Pages send an `Origin` header, which no script can change. Requests without one come from other clients, so no page
 * can abuse a user's cookies with them.
 */
function foreignOrigin(request: Request): string | undefined {
  const origin = request.headers.get('Origin');
  return origin === null || isOwn(origin, request) ? undefined : origin;
}

/** Answers a browser's preflight for a POST to another origin; returns undefined for other requests. */
function preflight({ method, headers }: Request): Response | undefined {
  if (method !== 'OPTIONS' || !headers.has('Access-Control-Request-Method')) return undefined;
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': headers.get('Access-Control-Request-Headers') ?? '',
      'Access-Control-Max-Age': String(MAX_AGE_SECONDS),
    },
  });
}

/**
 * Adds the headers that let a page of an allowed origin read a response. An origin that is listed, and not only allowed
 * by `'*'`, may also send cookies.
 */
function withCors(response: Response, origin: string, isListed: boolean): Response {
  const readable = new Response(response.body, response);
  readable.headers.append('Vary', 'Origin');
  if (isListed) readable.headers.set('Access-Control-Allow-Credentials', 'true');
  readable.headers.set('Access-Control-Allow-Origin', origin);
  return readable;
}

/**
 * Compares scheme, host and port. A page over https also counts as own for a request over http, since a proxy in front
 * may have removed the encryption. A page over http does not count as own for a request over https: anyone on the
 * network could have written it.
 */
function isOwn(origin: string, request: Request): boolean {
  const own = new URL(request.url).origin;
  return origin === own || origin === own.replace('http:', 'https:');
}
