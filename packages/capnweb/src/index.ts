import { RpcError } from '@lumenize/rpc';
import { type Answer, closeReason, type OtherProtocol, readBody, refuse } from '@lumenize/rpc/adapter';
import { exceeded } from './admission.ts';
import { CapnWebConnection, type Carrier } from './connection.ts';

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
    answer(request) {
      const { pathname } = new URL(request.url);
      if (pathname !== path && !pathname.startsWith(`${path}/`)) return undefined;
      const isSocket = request.headers.get('Upgrade')?.toLowerCase() === 'websocket';
      if (!isSocket && request.method !== 'POST') return undefined;
      return isSocket ? answerSocket(atMostOnce) : answerBatch(request, atMostOnce);
    },
  };
}

/** Number of messages that a client sends for a call: it makes the call, asks for its result, and releases it. */
const MESSAGES_A_CALL = 3;

/** Answers a batch, which has one message per line. Each batch has a connection of its own. */
function answerBatch(request: Request, atMostOnce: boolean): Answer {
  const lines: string[] = [];
  let size = 0;
  let connection: CapnWebConnection;
  const carrier: Carrier = {
    send(line) {
      // After the end, only the message that says why.
      if (connection.isOver && !line.startsWith('["abort"')) return;
      lines.push(line);
      size += line.length;
      // The client reads nothing before the end, so all answers wait here.
      const { session } = connection;
      const { limits } = session.settings;
      if (size <= limits.maxBytesInFlight || connection.isOver) return;
      const error = exceeded('maxBytesInFlight', limits, ' by answers', 'OVERLOADED');
      connection.end(session.refuse(error, 'a batch'));
    },
    close() {},
  };
  return {
    lasts: false,
    open(settings, target, host) {
      connection = new CapnWebConnection({ settings, target, host, atMostOnce, isBatch: true }, carrier);
      return connection.session;
    },
    async respond() {
      const { session } = connection;
      const { limits } = session.settings;
      const refused = (error: RpcError): Response => {
        ended();
        return refuse(request, session.refuse(error, 'a batch'));
      };
      const ended = () => connection.end(new RpcError('NOT_EXECUTED', 'the batch has ended'));
      const body = await readBody(request, limits.maxMessageBytes);
      if (body === undefined) return refused(exceeded('maxMessageBytes', limits, '', 'TOO_LARGE'));
      const most = limits.maxOperationsPerFrame * MESSAGES_A_CALL;
      const messages = new TextDecoder().decode(body).split('\n', most + 1);
      if (messages.length > most) return refused(exceeded('maxOperationsPerFrame', limits, ' by a batch'));
      request.signal.addEventListener('abort', ended);
      await deliverInTurns(messages, connection);
      await connection.answered();
      const answer = lines.join('\n');
      // Only after the answer is complete, because ending the session writes another message.
      ended();
      return new Response(answer);
    },
  };
}

/** After this many characters of messages, other work has its turn. */
const CHARACTERS_A_TURN = 16_384;

/** Delivers messages as a socket would. A turn ends when a message leaves a call waiting, and after many bytes. */
async function deliverInTurns(messages: readonly string[], connection: CapnWebConnection): Promise<void> {
  let length = 0;
  for (const message of messages) {
    if (message === '') continue;
    const running = connection.session.callsRunning;
    const isWaiting = () => connection.session.callsRunning > running;
    length += message.length;
    connection.deliver(message);
    await connection.read;
    for (let job = 0; job < JOBS && isWaiting(); job++) await undefined;
    if (!isWaiting() && length < CHARACTERS_A_TURN) continue;
    length = 0;
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** Microtasks for which a call is waited for: by then, what waits only for storage in memory is done. */
const JOBS = 64;
const CLOSE_UNSUPPORTED_DATA = 1003;

/** Accepts a socket without hibernation, because a Cap'n Web connection exists only in memory. */
function answerSocket(atMostOnce: boolean): Answer {
  const [theirs, ours] = Object.values(new WebSocketPair());
  let connection: CapnWebConnection;
  let ended = () => {};
  const close = (code: number, error: RpcError) => {
    try {
      // If the client has sent a close, this completes it.
      ours.close(code, closeReason(error));
    } catch {
      // The socket is gone. Calls that wait for it learn that from the end of the connection.
    }
  };
  const carrier: Carrier = {
    send: (text) => ours.send(text),
    close(code, error) {
      ended();
      close(code, error);
    },
  };
  return {
    lasts: true,
    open(settings, target, host) {
      connection = new CapnWebConnection({ settings, target, host, atMostOnce, isBatch: false }, carrier);
      return connection.session;
    },
    respond(_session, whenEnded) {
      ended = whenEnded;
      ours.accept();
      ours.addEventListener('message', ({ data }) => {
        if (typeof data === 'string') return connection.deliver(data);
        const error = new RpcError('MALFORMED_FRAME', "messages of Cap'n Web are text");
        close(CLOSE_UNSUPPORTED_DATA, error);
        connection.end(error);
      });
      const lost = () => connection.end(new RpcError('NOT_EXECUTED', 'the connection was lost'));
      ours.addEventListener('close', lost);
      ours.addEventListener('error', lost);
      return new Response(null, { status: 101, webSocket: theirs });
    },
  };
}
