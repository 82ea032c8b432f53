import { RpcError } from '../../errors/rpc-error.ts';
import { refuse } from '../refusal.ts';

/** Pages that may connect. */
export interface OriginOptions {
  /** Origins, beside the Worker's own, whose pages may connect, such as `['https://example.com']`; `'*'` is any. @default none */
  allowedOrigins?: readonly string[];
  /**
   * Answer the browser's questions whether pages of the allowed origins may POST (CORS). False leaves that to the
   * Worker. @default true
   */
  cors?: boolean;
}

/**
 * Answers a request if its page may connect, with what such pages have to be told; `where` is whose option says which may.
 * Questions of the browser's own do not get as far as `answer`; an `RpcError` that it throws refuses the request.
 */
export async function answerAllowed(
  request: Request,
  options: OriginOptions,
  where: string,
  answer: () => Response | Promise<Response>,
): Promise<Response> {
  if (!originAllowed(request, options)) {
    const message = `pages of this origin may not connect: see allowedOrigins of ${where}`;
    return refuse(request, new RpcError('DENIED', message));
  }
  let response = preflight(request, options);
  try {
    response ??= await answer();
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    response = refuse(request, error);
  }
  return withCors(response, request, options);
}

/** Time for which a browser may remember what a preflight allowed, in seconds. None remembers longer than two hours. */
const MAX_AGE_SECONDS = 7200;

/** Requests from pages carry an Origin, which no script can change; others have none and nothing to steal. */
export function originAllowed(request: Request, { allowedOrigins = [] }: OriginOptions): boolean {
  const origin = request.headers.get('Origin');
  return origin === null || isOwn(origin, request) || allowedOrigins.includes('*') || allowedOrigins.includes(origin);
}

/** Answers the question that a browser asks before a page may POST to another origin; undefined for other requests. */
function preflight(request: Request, { cors = true }: OriginOptions): Response | undefined {
  const { method, headers } = request;
  if (!cors || method !== 'OPTIONS' || !headers.has('Access-Control-Request-Method')) return undefined;
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': headers.get('Access-Control-Request-Headers') ?? '',
      'Access-Control-Max-Age': String(MAX_AGE_SECONDS),
    },
  });
}

/** Lets a page of an allowed origin read a response. One that is listed, and not only any, may send cookies too. */
export function withCors(
  response: Response,
  request: Request,
  { allowedOrigins = [], cors = true }: OriginOptions,
): Response {
  const origin = request.headers.get('Origin');
  if (!cors || origin === null || response.webSocket || isOwn(origin, request)) return response;
  const readable = new Response(response.body, response);
  readable.headers.append('Vary', 'Origin');
  if (allowedOrigins.includes(origin)) readable.headers.set('Access-Control-Allow-Credentials', 'true');
  readable.headers.set('Access-Control-Allow-Origin', origin);
  return readable;
}

/**
 * Compares scheme, host and port. A page that came over https is its own for a request that came over http, too: a proxy
 * in front has taken the encryption off. One of http is not for a request over https: anyone on the way could have written it.
 */
function isOwn(origin: string, request: Request): boolean {
  const own = new URL(request.url).origin;
  return origin === own || origin === own.replace('http:', 'https:');
}
