import type { RpcTarget } from '#platform';
import type { RpcError } from '../errors/rpc-error.ts';
import { versionError } from '../protocol/errors.ts';
import { asksForDescription } from '../protocol/http.ts';
import { SUBPROTOCOL } from '../protocol/version.ts';
import { checkedOptions } from '../session/check-options.ts';
import type { Transport } from '../transport/transport.ts';
import { expiredError, isExpired, newCaller } from './access/caller.ts';
import { answerAllowed, type OriginOptions } from './access/origins.ts';
import { answerDescription, requireServable } from './access/served-target.ts';
import { AcceptedSocket, serveAccepted } from './connections/attachment.ts';
import { answerBatch, isBatch, type RequestHost } from './http-batch.ts';
import type { ServeOptions } from './options.ts';
import { errorOfTarget, notRpc, offerOf, refuse, switchProtocols } from './refusal.ts';
import { createServerContext } from './server-context.ts';
import { ServerSession } from './session.ts';

/** Options for a Worker that serves a target without a Durable Object. */
export interface ServeRpcOptions extends ServeOptions, OriginOptions {}

/**
 * Serves a target to the client that makes this request: over a WebSocket until it closes, or for the calls of one
 * POST. Other requests get a status and a text that explain how to connect. The Worker has to identify the caller
 * before.
 * @throws {TypeError} if the target's class does not extend `RpcTarget`
 */
export async function serveRpc(request: Request, target: RpcTarget, options?: ServeRpcOptions): Promise<Response> {
  requireServable(target, 'serveRpc() needs');
  const own = checkedOptions(options);
  return answerAllowed(request, own, 'serveRpc', () => serve(request, target, own));
}

function serve(request: Request, target: RpcTarget, options: ServeRpcOptions): Response | Promise<Response> {
  const context = createServerContext(options);
  const caller = newCaller(options.identity);
  if (isExpired(caller.expiresAt)) return refuse(request, expiredError());
  const open = (channel: Transport) => new ServerSession(target, channel, context, { caller });
  const answer = answerRequest(request, {
    context,
    options,
    callerOf: () => caller,
    target: () => target,
    requireRoom: () => {},
    began: () => () => {},
    open,
    accept() {
      const [client, server] = Object.values(new WebSocketPair());
      serveAccepted(server, open(new AcceptedSocket(server)));
      return switchProtocols(client, SUBPROTOCOL);
    },
  });
  return answer ?? notRpc(request);
}

/**
 * Answers a request in this library's protocol or another one; returns undefined if the server speaks no protocol of
 * the request.
 */
export function answerRequest(request: Request, host: RequestHost): Response | Promise<Response> | undefined {
  const { discoverable, protocols } = host.options;
  if (isBatch(request)) return answerBatch(request, host);
  const isDescribed = discoverable && asksForDescription(request);
  const offer = offerOf(request);
  if (!isDescribed && offer === undefined) {
    for (const protocol of protocols ?? []) {
      const answer = protocol.fetch(request, host);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }
  const caller = host.callerOf(request);
  const refused = (error: RpcError) => {
    host.context.refusals.add(error, 'a connection', caller);
    return refuse(request, error);
  };
  if (offer?.shared === false) return refused(versionError());
  if (offer === undefined && isExpired(caller.expiresAt)) return refused(expiredError());
  try {
    return offer ? host.accept(offer, caller) : answerDescription(host.target(caller) as RpcTarget);
  } catch (error) {
    return refuse(request, errorOfTarget(error));
  }
}
