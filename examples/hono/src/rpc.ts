import { type Credentials, type RouteRpcOptions, routeRpc } from '@lumenize/rpc/server';
import type { Context, Env, MiddlewareHandler } from 'hono';

/**
 * Leads to objects what is for them, and all else to the routes behind it. `identify` says who is calling, mostly by what other
 * middleware has found out: undefined is refused, in a way that pages can tell.
 */
export function rpc<E extends Env>(
  identify: (context: Context<E>, credentials: Credentials) => unknown,
  options?: Omit<RouteRpcOptions, 'authenticate'>,
): MiddlewareHandler<E> {
  return async (context, next) => {
    const authenticate = (_request: Request, credentials: Credentials) => identify(context, credentials);
    const response = await routeRpc(context.req.raw, context.env as object, { ...options, authenticate });
    return response ?? next();
  };
}
