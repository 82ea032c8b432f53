import type { RpcTarget } from '#platform';
import { RpcError } from '../errors/rpc-error.ts';
import { SUBPROTOCOL } from '../protocol/version.ts';
import type { Transport } from '../transport/transport.ts';
import { expiredError, isExpired, newCaller } from './access/caller.ts';
import { type OriginOptions, originAllowed, preflight, withCors } from './access/origins.ts';
import { answerDescription, asksForDescription, requireServable } from './access/served-target.ts';
import { SocketChannel, serveAccepted } from './connections/sockets.ts';
import { answerBatch, isBatch } from './http-batch.ts';
import type { ServeOptions } from './options.ts';
import { askOthers, type ProtocolHost } from './other-protocol.ts';
import { notRpc, offerOf, refuse, switchProtocols, versionError } from './refusal.ts';
import { createServerContext } from './server-context.ts';
import { ServerSession } from './session.ts';

/** How a Worker without a Durable Object serves a target. */
export interface ServeRpcOptions extends ServeOptions, OriginOptions {}

/**
 * Serves a target to the client that makes this request: over a WebSocket for as long as that is open, or the calls of
 * one POST. Anyone else gets a status that says what to use. Who is calling is for the Worker to find out before.
 * @throws {TypeError} where the target is of no class that extends `RpcTarget`
 */
export async function serveRpc(request: Request, target: RpcTarget, options: ServeRpcOptions = {}): Promise<Response> {
  requireServable(target, 'serveRpc() needs');
  if (!originAllowed(request, options)) {
    const message = 'pages of this origin may not connect: see allowedOrigins of serveRpc';
    return refuse(request, new RpcError('DENIED', message));
  }
  const answer = preflight(request, options) ?? (await serve(request, target, options));
  return withCors(answer, request, options);
}

function serve(request: Request, target: RpcTarget, options: ServeRpcOptions): Response | Promise<Response> {
  const context = createServerContext(options);
  const caller = newCaller(options.identity);
  if (isExpired(caller.expiresAt)) return refuse(request, expiredError());
  const open = (channel: Transport) => new ServerSession(target, channel, context, { caller });
  if (options.discoverable && asksForDescription(request)) return answerDescription(target);
  if (isBatch(request)) return answerBatch(request, context, caller, open);
  const offer = offerOf(request);
  if (!offer.spoken) {
    const host: ProtocolHost = {
      context,
      errorStacks: options.errorStacks ?? false,
      callerOf: () => caller,
      target: () => target,
      full: () => undefined,
      began: () => () => {},
    };
    return askOthers(options.protocols, request, host) ?? notRpc(request);
  }
  if (!offer.shared) return refuse(request, versionError());
  const [client, server] = Object.values(new WebSocketPair());
  serveAccepted(server, open(new SocketChannel(server)));
  return switchProtocols(client, SUBPROTOCOL);
}
