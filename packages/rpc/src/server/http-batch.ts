import { CLOSE_TRY_LATER } from '../closes.ts';
import { exceeded, malformed, RpcError } from '../errors.ts';
import { bodies } from '../peer/bodies.ts';
import { byValue } from '../peer/by-value.ts';
import type { Feature } from '../peer/options.ts';
import { takeSignal } from '../peer/references.ts';
import { json } from '../protocol.ts';
import { BATCH_TYPE, readBatch, writeBatch } from '../transport/batch.ts';
import type { Transport } from '../transport/transport.ts';
import type { Message } from '../types/message.ts';
import { expiredError, isExpired, type TaggedCaller } from './callers.ts';
import { callbacks } from './map.ts';
import { errorOf, isSpoken, refuse, versionError } from './refusal.ts';
import type { Session } from './session.ts';
import type { ServerSettings } from './settings.ts';
import { topics } from './topics/topics.ts';

/**
 * After this many bytes of messages, other work has its turn. A call can take three bytes, and thousands of calls take
 * milliseconds.
 */
const BYTES_A_TURN = 16_384;
/** The number of bytes that a batch of one message takes besides it. */
const FRAMING_BYTES = 16;
/** Signals that were aborted before are bounded as over a socket. */
const SIGNALS: Feature = { revive: { signal: takeSignal } };

/** The caller of a batch, and the way to serve it. */
export interface BatchHost {
  readonly settings: ServerSettings;
  readonly caller: TaggedCaller;
  /** Makes a session for the caller. @throws {RpcError} with a message for the caller if there is no target */
  open(transport: Transport, settings: ServerSettings): Session;
}

/**
 * Runs the calls of a POST in a session of their own, and answers when all of them have ended. A refusal has an error
 * status, and means that nothing ran.
 */
export async function answerBatch(request: Request, { settings, caller, open }: BatchHost): Promise<Response> {
  const { limits } = settings;
  const refused = (error: RpcError) => refuse(request, error);
  // Reads the body first: the runtime logs an error for a forwarded body that is never read.
  const body = await readBody(request, limits.maxMessageBytes + FRAMING_BYTES);
  if (body === undefined) return refused(exceeded('maxMessageBytes', limits, 'TOO_LARGE'));
  if (!isSpoken(request)) return refused(versionError());
  if (isExpired(caller)) return refused(expiredError());

  const answers: Message[] = [];
  let size = 0;
  let close: string | undefined;
  const transport: Transport = {
    send(message) {
      // The client is asked for nothing, and waits for all anyway. So only answers are sent.
      if (close !== undefined || message[0] === '{') return;
      answers.push(message);
      size += message.length;
      // The client reads nothing before the end, so all answers wait here.
      if (size > limits.maxMessageBytes) {
        session.end(CLOSE_TRY_LATER, exceeded('maxMessageBytes', limits, 'OVERLOADED'));
      }
    },
    close(code, reason) {
      close ??= json({ close: [code, reason] });
    },
  };
  let session: Session;
  try {
    session = open(transport, { ...settings, isBatch: true, features: [callbacks, SIGNALS, byValue, bodies, topics] });
  } catch (error) {
    return refused(errorOf(error, 'target()'));
  }
  request.signal.addEventListener('abort', () => session.closed());

  const identity = caller.tag === undefined ? [] : [json({ as: caller.tag })];
  let received = 0;
  let bytes = 0;
  try {
    for (const message of readBatch(body)) {
      if (close !== undefined) break;
      if (received++ === 0 && typeof message === 'string' && message.startsWith('{"as":')) {
        // What waited for the answer to another request runs for the caller of that, or not at all.
        if (message === identity[0]) continue;
        return refused(new RpcError('NOT_EXECUTED', 'the caller is another one than when this was called: call again'));
      }
      // While a call waits, the next message gets an event of its own, as over a socket.
      if (bytes >= BYTES_A_TURN || (bytes > 0 && session.idle !== undefined)) {
        bytes = 0;
        await nextTurn();
      }
      bytes += message.length;
      session.receive(message);
    }
  } catch {
    const error = malformed('a batch');
    if (received === 0) return refused(error);
    session.broken(error);
  }
  // Answers that are ready together leave some microtasks later.
  for (; session.idle !== undefined; await nextTurn()) await session.idle;
  session.closed();
  const answer = writeBatch([...identity, ...answers, ...(close === undefined ? [] : [close])]);
  return new Response(answer, { headers: { 'Content-Type': BATCH_TYPE } });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Reads a body. Returns undefined if it is larger than `maxBytes`, and then reads no further. */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const length = request.headers.get('Content-Length');
  if (Number(length) > maxBytes) return undefined;
  if (length !== null) return new Uint8Array(await request.arrayBuffer());
  let bytes = new Uint8Array();
  let size = 0;
  for await (const chunk of request.body ?? []) {
    const end = size + chunk.length;
    // Returning from the loop cancels the rest.
    if (end > maxBytes) return undefined;
    // Copied, because the runtime gives each chunk four kilobytes, and a client can send chunks of one byte.
    if (end > bytes.length) {
      const larger = new Uint8Array(Math.min(2 * end, maxBytes));
      larger.set(bytes);
      bytes = larger;
    }
    bytes.set(chunk, size);
    size = end;
  }
  return bytes.subarray(0, size);
}
