import { RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import {
  CLOSE_EXPIRED,
  CLOSE_INTERNAL,
  CLOSE_MALFORMED,
  CLOSE_POLICY,
  CLOSE_TOO_LARGE,
  CLOSE_UNSUPPORTED_DATA,
  closeReason,
} from '../protocol/close-codes.ts';
import { expiredError, isExpired } from '../server/access/caller.ts';
import { BYTES_A_TURN, readBody } from '../server/http-batch.ts';
import type { OtherProtocol, ProtocolHost } from '../server/other-protocol.ts';
import { errorOfTarget, refuse } from '../server/refusal.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import { briefly, nextTurn } from '../session/incoming/turns.ts';
import { CapnWebSession, type Served } from './session.ts';

/** How clients of Cap'n Web are served. */
export interface CapnWebOptions {
  /** Where they connect: requests for this path, and for what is below it, are taken to be in their protocol. @default '/capnweb' */
  prefix?: string;
  /**
   * Let them call methods that are declared `exactlyOnce`, which they cannot ask for: such a call runs once, but who loses its
   * answer cannot learn that it ran. @default false: it is refused
   */
  atMostOnce?: boolean;
}

/**
 * Lets clients of the package `capnweb` talk to the same targets, for `protocols` of an object's or `serveRpc`'s options:
 * over a WebSocket, which does not hibernate, or in batches over HTTP. What is declared, guarded, checked and limited holds
 * for them too.
 */
export function capnWeb({ prefix = '/capnweb', atMostOnce = false }: CapnWebOptions = {}): OtherProtocol {
  const path = prefix.replace(/\/$/, '');
  return {
    fetch(request, host) {
      const { pathname } = new URL(request.url);
      if (pathname !== path && !pathname.startsWith(`${path}/`)) return undefined;
      const isSocket = request.headers.get('Upgrade')?.toLowerCase() === 'websocket';
      if (!isSocket && request.method !== 'POST') return undefined;
      const caller = host.callerOf(request);
      const refused = refusalOf(caller, host, isSocket);
      if (refused !== undefined) return refuse(request, refused);
      let target: unknown;
      try {
        target = host.target(caller);
      } catch (error) {
        return refuse(request, errorOfTarget(error));
      }
      const served = { target, caller, host, atMostOnce };
      return isSocket ? serveCapnWebSocket(served) : answerCapnWebBatch(request, served);
    },
  };
}

function refusalOf(caller: Caller, host: ProtocolHost, isSocket: boolean) {
  if (isExpired(caller.expiresAt)) return expiredError();
  return isSocket ? host.full(caller) : undefined;
}

/** To make it, to wait for it, and to let go of it. */
const MESSAGES_A_CALL = 3;

/** Answers a batch, which is a message a line, in a session of its own. */
async function answerCapnWebBatch(request: Request, served: Served): Promise<Response> {
  const { context } = served.host;
  const { maxMessageBytes, maxOperationsPerFrame } = context.settings.limits;
  const refused = (error: RpcError): Response => {
    context.refusals.add(error, 'a batch', served.caller);
    return refuse(request, error);
  };
  const body = await readBody(request, maxMessageBytes);
  if (body === undefined) return refused(new RpcError('TOO_LARGE', `maxMessageBytes of ${maxMessageBytes} exceeded`));
  const messages = new TextDecoder().decode(body).split('\n', maxOperationsPerFrame * MESSAGES_A_CALL + 1);
  if (messages.length > maxOperationsPerFrame * MESSAGES_A_CALL) {
    return refused(
      new RpcError('LIMIT_EXCEEDED', `maxOperationsPerFrame of ${maxOperationsPerFrame} exceeded by a batch`),
    );
  }
  const lines: string[] = [];
  const session = new CapnWebSession(served, { write: (line) => lines.push(line), close: () => {} });
  const ended = () => session.end(new RpcError('NOT_EXECUTED', 'the batch has ended'));
  request.signal.addEventListener('abort', ended);
  await receiveInTurns(messages, session);
  await session.answered();
  const answer = lines.join('\n');
  // Only now: it says that it has ended, which would be a message more.
  ended();
  return new Response(answer);
}

/** Hands messages over as they would come by a socket: what a call is left waiting for ends a turn, and so do many bytes. */
async function receiveInTurns(messages: readonly string[], session: CapnWebSession): Promise<void> {
  let length = 0;
  for (const message of messages) {
    if (message === '') continue;
    const { running } = session;
    length += message.length;
    session.receive(message);
    await session.read;
    await briefly(() => session.running <= running);
    if (session.running <= running && length < BYTES_A_TURN) continue;
    length = 0;
    await nextTurn();
  }
}

const CLOSE_CODES: Partial<Record<RpcErrorCode, number>> = {
  TOO_LARGE: CLOSE_TOO_LARGE,
  MALFORMED_FRAME: CLOSE_MALFORMED,
  EXPIRED: CLOSE_EXPIRED,
  LIMIT_EXCEEDED: CLOSE_POLICY,
  RATE_LIMITED: CLOSE_POLICY,
};

/** Accepts a socket, not to hibernate: a session of Cap'n Web lives in memory only. */
function serveCapnWebSocket(served: Served): Response {
  const [theirs, ours] = Object.values(new WebSocketPair());
  ours.accept();
  const ended = served.host.began(served.caller, () =>
    session.end(new RpcError('NOT_EXECUTED', 'the server has ended the connection')),
  );
  const session = new CapnWebSession(served, {
    write: (text) => ours.send(text),
    close(error) {
      ended();
      const code = CLOSE_CODES[error.code] ?? CLOSE_INTERNAL;
      // Where it is closed already, that is all that was wanted; in answer to a close it completes that.
      tryTo(() => ours.close(code, closeReason(error)));
    },
  });
  ours.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') session.receive(data);
    else {
      const error = new RpcError('MALFORMED_FRAME', "messages of Cap'n Web are text");
      tryTo(() => ours.close(CLOSE_UNSUPPORTED_DATA, closeReason(error)));
      session.end(error);
    }
  });
  const lost = () => session.end(new RpcError('NOT_EXECUTED', 'the connection was lost'));
  ours.addEventListener('close', lost);
  ours.addEventListener('error', lost);
  return new Response(null, { status: 101, webSocket: theirs });
}

function tryTo(run: () => void): void {
  try {
    run();
  } catch {
    // The socket is gone, and whoever waits for it is told by its end.
  }
}
