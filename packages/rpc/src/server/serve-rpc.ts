import type { RpcTarget } from '#platform';
import { serveSocketTransport } from '../transport/socket.ts';
import type { Transport } from '../transport/transport.ts';
import type { Caller } from '../types/call-context.ts';
import { Counted } from './backlog.ts';
import { taggedCaller } from './callers.ts';
import { answerBatch } from './http-batch.ts';
import { requireTarget } from './members.ts';
import { answerAllowed, type OriginOptions } from './origins.ts';
import { type Answer, answerOther, type OtherProtocol } from './protocols.ts';
import { isBatch, notRpc } from './refusal.ts';
import type { ServeOptions } from './serve.ts';
import { Session } from './session.ts';
import { type ServerSettings, serverSettings } from './settings.ts';
import { answerUpgrade, greetingOf } from './upgrade.ts';

/** Options for a Worker that serves a target without a Durable Object. */
export interface ServeRpcOptions extends ServeOptions, OriginOptions {
  /** Other protocols that are answered, such as `capnWeb()` of `@lumenize/capnweb`. @default none */
  protocols?: readonly OtherProtocol[];
}

/**
 * Serves a target to the client that makes this request: over a WebSocket until it closes, or for the calls of one
 * POST. Other requests get a status and a text that explain how to connect. The Worker has to identify the caller
 * before.
 * @throws {TypeError} if the target's class does not extend `RpcTarget`
 */
export async function serveRpc(request: Request, target: RpcTarget, options: ServeRpcOptions = {}): Promise<Response> {
  const settings = serverSettings(options);
  requireTarget(target, 'serveRpc() needs');
  return answerAllowed(request, options, 'serveRpc', async () => {
    const caller = await taggedCaller(options.identity);
    const open = (transport: Transport, given: ServerSettings) => new Session(given, target, transport, { caller });
    if (isBatch(request)) return answerBatch(request, { settings, caller, open });
    const answer = answerUpgrade(
      request,
      () => caller,
      (socket) => {
        const { maxBytesInFlight } = settings.limits;
        serveSocketTransport(socket, (transport) => open(new Counted(transport, maxBytesInFlight), settings));
        socket.accept();
        const greeting = greetingOf(caller);
        if (greeting !== undefined) socket.send(greeting);
      },
    );
    const openOther = (_: Caller, other: Answer) => ({ session: other.open(settings, target, { caller }), ended() {} });
    const host = { settings, protocols: options.protocols, callerOf: () => caller, open: openOther };
    return answer ?? answerOther(request, host) ?? notRpc(request);
  });
}
