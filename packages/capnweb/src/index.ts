import { type CodesBy, type CodeTable, RpcError } from '../errors/rpc-error.ts';
import {
  CLOSE_EXPIRED,
  CLOSE_INTERNAL,
  CLOSE_MALFORMED,
  CLOSE_POLICY,
  CLOSE_TOO_LARGE,
  CLOSE_UNSUPPORTED_DATA,
  closeReason,
  exceeded,
} from '../protocol/errors.ts';
import { expiredError, isExpired } from '../server/access/caller.ts';
import { BYTES_A_TURN, readBody } from '../server/http-batch.ts';
import type { OtherProtocol } from '../server/options.ts';
import { errorOfTarget, refuse } from '../server/refusal.ts';
import { briefly, nextTurn } from '../session/incoming/turns.ts';
import { CapnWebConnection, type Served } from './connection.ts';

export type { OtherProtocol };

/** Options for serving clients of Cap'n Web. */
export interface CapnWebOptions {
  /**
   * Path at which the clients connect. Requests for this path and for paths below it are handled as Cap'n Web.
   * @default '/capnweb'
   */
  prefix?: string;
  /**
   * Lets the clients call methods that are declared `exactlyOnce`. Such a call runs at most once, but a client that
   * loses the answer cannot learn that the call ran.
   * @default false: such calls are refused
   */
  atMostOnce?: boolean;
}

/**
 * Lets clients of the package `capnweb` call the same targets. Pass the result in the option `protocols` of an object
 * or of `serveRpc`. Clients connect over a WebSocket, which does not hibernate, or send batches over HTTP.
 * Declarations, guards, schemas and limits apply to them, too.
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
      let target: object;
      try {
        if (isExpired(caller.expiresAt)) throw expiredError();
        if (isSocket) host.requireRoom(caller);
        target = host.target(caller) as object;
      } catch (error) {
        return refuse(request, errorOfTarget(error));
      }
      const served = { target, caller, host, atMostOnce, isBatch: !isSocket };
      return isSocket ? serveSocket(served) : answerBatch(request, served);
    },
  };
}

/** Number of messages that a client sends for a call: it makes the call, asks for its result, and releases it. */
const MESSAGES_A_CALL = 3;

/** Answers a batch, which has one message per line. Each batch has a connection of its own. */
async function answerBatch(request: Request, served: Served): Promise<Response> {
  const { refusals, settings } = served.host.context;
  const { maxBytesInFlight, maxMessageBytes, maxOperationsPerFrame } = settings.limits;
  const refused = (error: RpcError): Response => {
    refusals.add(error, 'a batch', served.caller);
    return refuse(request, error);
  };
  const body = await readBody(request, maxMessageBytes);
  if (body === undefined) return refused(exceeded('maxMessageBytes', settings.limits, '', 'TOO_LARGE'));
  const messages = new TextDecoder().decode(body).split('\n', maxOperationsPerFrame * MESSAGES_A_CALL + 1);
  if (messages.length > maxOperationsPerFrame * MESSAGES_A_CALL) {
    return refused(exceeded('maxOperationsPerFrame', settings.limits, ' by a batch'));
  }
  const lines: string[] = [];
  let size = 0;
  const write = (line: string) => {
    // After the end, only the message that says why.
    if (connection.isOver && !line.startsWith('["abort"')) return;
    lines.push(line);
    size += line.length;
    // The client reads nothing before the end, so all answers wait here.
    if (size <= maxBytesInFlight || connection.isOver) return;
    const error = exceeded('maxBytesInFlight', settings.limits, ' by answers', 'OVERLOADED');
    refusals.add(error, 'a batch', served.caller);
    connection.end(error);
  };
  const connection = new CapnWebConnection(served, write, () => {});
  const ended = () => connection.end(new RpcError('NOT_EXECUTED', 'the batch has ended'));
  request.signal.addEventListener('abort', ended);
  await deliverInTurns(messages, connection);
  await connection.answered();
  const answer = lines.join('\n');
  // Only after the answer is complete, because ending the session writes another message.
  ended();
  return new Response(answer);
}

/** Delivers messages as a socket would. A turn ends when a message leaves a call waiting, and after many bytes. */
async function deliverInTurns(messages: readonly string[], connection: CapnWebConnection): Promise<void> {
  let length = 0;
  for (const message of messages) {
    if (message === '') continue;
    const { running } = connection;
    length += message.length;
    connection.deliver(message);
    await connection.read;
    await briefly(() => connection.running <= running);
    if (connection.running <= running && length < BYTES_A_TURN) continue;
    length = 0;
    await nextTurn();
  }
}

const CLOSE_CODES: CodeTable<number> = {
  TOO_LARGE: CLOSE_TOO_LARGE,
  MALFORMED_FRAME: CLOSE_MALFORMED,
  EXPIRED: CLOSE_EXPIRED,
  LIMIT_EXCEEDED: CLOSE_POLICY,
  RATE_LIMITED: CLOSE_POLICY,
} satisfies CodesBy<'close', typeof CLOSE_INTERNAL>;

/** Accepts a socket without hibernation, because a Cap'n Web connection exists only in memory. */
function serveSocket(served: Served): Response {
  const [theirs, ours] = Object.values(new WebSocketPair());
  const end = (why: string) => () => connection.end(new RpcError('NOT_EXECUTED', why));
  const close = (error: RpcError, code = CLOSE_CODES[error.code] ?? CLOSE_INTERNAL) => {
    try {
      // If the client has sent a close, this completes it.
      ours.close(code, closeReason(error));
    } catch {
      // The socket is gone. Calls that wait for it learn that from the end of the connection.
    }
  };
  const connection = new CapnWebConnection(
    served,
    (text) => ours.send(text),
    (error) => {
      ended();
      close(error);
    },
  );
  // Not earlier: a connection that cannot be made would count for ever.
  const ended = served.host.began({ caller: served.caller, close: end('the server has ended the connection') });
  ours.accept();
  ours.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') return connection.deliver(data);
    const error = new RpcError('MALFORMED_FRAME', "messages of Cap'n Web are text");
    close(error, CLOSE_UNSUPPORTED_DATA);
    connection.end(error);
  });
  const lost = end('the connection was lost');
  ours.addEventListener('close', lost);
  ours.addEventListener('error', lost);
  return new Response(null, { status: 101, webSocket: theirs });
}
