import { RpcSession, type RpcTransportWithCustomEncoding } from 'capnweb';
import { asRpcError, RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import {
  CLOSE_EXPIRED,
  CLOSE_INTERNAL,
  CLOSE_MALFORMED,
  CLOSE_POLICY,
  CLOSE_TOO_LARGE,
  CLOSE_UNSUPPORTED_DATA,
  closeReason,
} from '../protocol/errors.ts';
import { BYTES_A_TURN, readBody } from '../server/http-batch.ts';
import { refuse } from '../server/refusal.ts';
import { briefly, nextTurn } from '../session/incoming/turns.ts';
import { CapnWebCalls, type Served } from './calls.ts';
import { exceeded } from './expression.ts';
import { exposeTarget } from './references.ts';

/**
 * The server's side of a connection of Cap'n Web: the transport that the package's session reads from and writes to. It hands
 * messages over as values, not as text, so that they can be looked at before the session sees them.
 */
class CapnWebSession implements RpcTransportWithCustomEncoding {
  readonly encodingLevel = 'jsonCompatible';
  readonly #write: (text: string) => void;
  readonly #close: (error: RpcError) => void;
  readonly #calls: CapnWebCalls;
  readonly #rpc: RpcSession;
  readonly #chunks = new ChunkClock();
  readonly #queue: string[] = [];
  #next: PromiseWithResolvers<void> | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  /** `write` sends a message; `close` is called once, when there are to be no more. */
  constructor(served: Served, write: (text: string) => void, close: (error: RpcError) => void) {
    const { errorStacks } = served.host.context.settings;
    this.#write = write;
    this.#close = close;
    this.#calls = new CapnWebCalls(served);
    // The target of the connection itself is nobody's to dispose of.
    const target = exposeTarget(served.target, this.#calls, () => {});
    this.#rpc = new RpcSession(this, target, { onSendError: (error) => forClient(error, errorStacks) });
  }

  /** Counts the calls that are running. */
  get running(): number {
    return this.#calls.running;
  }

  /** Resolves when what has been received was read, or there is nobody left to read it; undefined where there is nothing. */
  get read(): Promise<void> | undefined {
    if (this.#queue.length === 0) return undefined;
    this.#drained ??= Promise.withResolvers();
    return this.#drained.promise;
  }

  /** Takes a message that has arrived. */
  deliver(text: string): void {
    this.#calls.stubs.releaseCollected();
    this.#queue.push(text);
    this.#next?.resolve();
  }

  /** Has the session end, once what was received before has been read. */
  end(error: RpcError): void {
    this.#calls.ended ??= error;
    this.#next?.reject(this.#calls.ended);
  }

  /** Resolves when what has been received was read, and all that was asked for has been answered. */
  async answered(): Promise<void> {
    await this.read;
    // It rejects where the session has ended, of which the client is told by a message.
    await this.#rpc.drain().catch(() => {});
  }

  // For the package's session.

  send(message: unknown): number {
    this.#calls.admission.sent(message as unknown[]);
    this.#chunks.sent(message as unknown[]);
    const text = JSON.stringify(message);
    this.#write(text);
    return text.length;
  }

  async receive(): Promise<unknown> {
    if (this.#queue.length === 0) {
      if (this.#calls.ended !== undefined) throw this.#calls.ended;
      this.#drained?.resolve();
      this.#next = Promise.withResolvers();
      await this.#next.promise;
    }
    const message = this.#calls.admission.receive(this.#queue[0]);
    const held = this.#chunks.hold(message);
    if (held !== undefined) await held;
    // Not before: what is held back has not been read.
    this.#queue.shift();
    return message;
  }

  /** Called by the session when it can or may not go on. */
  abort(reason: unknown): void {
    const error = asRpcError(reason, 'MALFORMED_FRAME');
    this.#calls.ended ??= error;
    this.#queue.length = 0;
    this.#drained?.resolve();
    this.#close(error);
    this.#calls.lost(error);
  }
}

/**
 * Has no chunk of a stream acknowledged at the instant at which it was sent. Cap'n Web's flow control takes that for a round trip
 * of no time, its window becomes NaN, and whoever waits for it to open waits forever (0.12). The clock of a Worker stands still
 * between one event and the next, so that it comes to this wherever a client is near.
 */
class ChunkClock {
  /** Time at which each unacknowledged chunk was sent, by the number that both sides give its message. */
  readonly #sentAt = new Map<number, number>();
  #nextId = 1;

  /** Notes a message that is sent. */
  sent([kind]: readonly unknown[]): void {
    if (kind === 'stream') this.#sentAt.set(this.#nextId, performance.now());
    if (kind === 'stream' || kind === 'push' || kind === 'pipe') this.#nextId++;
  }

  /** Waits until a message that has arrived may be handed over; undefined where that is now. */
  hold([kind, id]: readonly unknown[]): Promise<void> | undefined {
    if (kind !== 'resolve' && kind !== 'reject') return undefined;
    const sentAt = this.#sentAt.get(id as number);
    this.#sentAt.delete(id as number);
    if (sentAt === undefined || kind === 'reject' || performance.now() > sentAt) return undefined;
    return later(sentAt);
  }
}

async function later(than: number): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, 1));
  while (performance.now() <= than);
}

/** Returns what the client is to get of an error in place of it; undefined where that is the error, without its stack. */
function forClient(error: Error, withStack: boolean): Error | undefined {
  if (!(error instanceof RpcError)) return withStack ? error : undefined;
  // Code, message and data; what caused it is for the server.
  const { code, message, data, stack } = error;
  const told = Object.assign(new Error(message), { code });
  if (data !== undefined) Object.assign(told, { data });
  told.name = error.name;
  told.stack = withStack ? stack : '';
  return told;
}

/** A client makes a call, waits for it, and lets go of it. */
const MESSAGES_A_CALL = 3;

/** Answers a batch, which is a message a line, in a session of its own. */
export async function answerBatch(request: Request, served: Served): Promise<Response> {
  const { refusals, settings } = served.host.context;
  const { maxMessageBytes, maxOperationsPerFrame } = settings.limits;
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
  const session = new CapnWebSession(
    served,
    (line) => lines.push(line),
    () => {},
  );
  const ended = () => session.end(new RpcError('NOT_EXECUTED', 'the batch has ended'));
  request.signal.addEventListener('abort', ended);
  await deliverInTurns(messages, session);
  await session.answered();
  const answer = lines.join('\n');
  // Only now: it says that it has ended, which would be a message more.
  ended();
  return new Response(answer);
}

/** Hands messages over as they would come by a socket: what a call is left waiting for ends a turn, and so do many bytes. */
async function deliverInTurns(messages: readonly string[], session: CapnWebSession): Promise<void> {
  let length = 0;
  for (const message of messages) {
    if (message === '') continue;
    const { running } = session;
    length += message.length;
    session.deliver(message);
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
export function serveSocket(served: Served): Response {
  const [theirs, ours] = Object.values(new WebSocketPair());
  ours.accept();
  const end = (why: string) => () => session.end(new RpcError('NOT_EXECUTED', why));
  const ended = served.host.began(served.caller, end('the server has ended the connection'));
  const close = (error: RpcError, code = CLOSE_CODES[error.code] ?? CLOSE_INTERNAL) => {
    try {
      // In answer to a close it completes that.
      ours.close(code, closeReason(error));
    } catch {
      // The socket is gone, and whoever waits for it is told by its end.
    }
  };
  const session = new CapnWebSession(
    served,
    (text) => ours.send(text),
    (error) => {
      ended();
      close(error);
    },
  );
  ours.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') return session.deliver(data);
    const error = new RpcError('MALFORMED_FRAME', "messages of Cap'n Web are text");
    close(error, CLOSE_UNSUPPORTED_DATA);
    session.end(error);
  });
  const lost = end('the connection was lost');
  ours.addEventListener('close', lost);
  ours.addEventListener('error', lost);
  return new Response(null, { status: 101, webSocket: theirs });
}
