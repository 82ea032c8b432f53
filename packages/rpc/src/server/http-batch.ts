import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_TRY_LATER, errorOfClose, exceeded, versionError } from '../protocol/errors.ts';
import {
  BATCH_CONTENT_TYPE,
  BATCH_PREFIX_BYTES,
  type Batch,
  readBatch,
  readBatchType,
  writeBatch,
} from '../protocol/http.ts';
import type { Message } from '../protocol/message.ts';
import type { Offer } from '../protocol/version.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import { nextTurn } from '../session/incoming/turns.ts';
import type { Transport } from '../transport/transport.ts';
import type { ProtocolHost, RpcServerOptions } from './options.ts';
import { errorOfTarget, refuse } from './refusal.ts';
import type { ServerSession } from './session.ts';

/**
 * After this many bytes of frames, other work has its turn. A call can take three bytes, and thousands of calls take
 * milliseconds.
 */
export const BYTES_A_TURN = 16_384;

/** Returns true if a request is a batch of calls, of any version. */
export function isBatch(request: Request): boolean {
  return request.method === 'POST' && readBatchType(request.headers.get('Content-Type')).spoken;
}

/** The server of an object or a Worker, as this library's own protocol uses it. */
export interface RequestHost extends ProtocolHost {
  readonly options: Pick<RpcServerOptions, 'discoverable' | 'protocols'>;
  /** Makes a session for the caller. @throws {RpcError} with a message for the caller if there is no target */
  open(channel: Transport, caller: Caller): ServerSession;
  /**
   * Opens a connection over a WebSocket, and completes the upgrade.
   * @throws {RpcError} with a message for the caller if the connection is refused
   */
  accept(offer: Offer, caller: Caller): Response;
}

/**
 * Runs the frames of a POST in a session of their own, and answers when all of their calls have ended. A refusal has an
 * error status, and means that nothing ran.
 */
export async function answerBatch(request: Request, host: RequestHost): Promise<Response> {
  const { settings, refusals } = host.context;
  const { limits } = settings;
  const caller = host.callerOf(request);
  const refused = (error: RpcError) => {
    refusals.add(error, 'a batch', caller);
    return refuse(request, error);
  };
  // Reads the body first: the runtime logs an error for a forwarded body that is never read.
  const body = await readBody(request, limits.maxMessageBytes + BATCH_PREFIX_BYTES);
  if (body === undefined) return refused(exceeded('maxMessageBytes', limits, '', 'TOO_LARGE'));
  if (!readBatchType(request.headers.get('Content-Type')).shared) return refused(versionError());
  let calls: Batch;
  try {
    calls = readBatch(body);
  } catch (error) {
    return refused(error as RpcError);
  }

  const answer: Batch = { frames: [] };
  let session: ServerSession;
  let size = 0;
  try {
    const send = (frame: Message) => {
      if (answer.close !== undefined) return;
      answer.frames.push(frame);
      size += frame.length;
      // The client reads nothing before the end, so all answers wait here.
      if (size <= limits.maxBytesInFlight) return;
      const error = exceeded('maxBytesInFlight', limits, ' by answers', 'OVERLOADED');
      session.refuseConnection(error, CLOSE_TRY_LATER);
    };
    const close = (code: number, reason: string) => {
      answer.close ??= { code, reason };
    };
    session = host.open({ stateless: true, send, close }, caller);
  } catch (error) {
    return refuse(request, errorOfTarget(error));
  }
  request.signal.addEventListener('abort', () => session.closed());

  let received = 0;
  let bytes = 0;
  for (const frame of calls.frames) {
    if (answer.close !== undefined) break;
    // At least a microtask later, so that the effects of a frame, such as the end of the connection, precede the next
    // frame. While a call waits, the next frame gets an event of its own, like a frame of a socket.
    if (received > 0) await (bytes < BYTES_A_TURN && session.idle === undefined ? undefined : nextTurn());
    if (bytes >= BYTES_A_TURN) bytes = 0;
    bytes += frame.length;
    received++;
    session.receive(frame);
  }
  if (answer.close !== undefined && received === 1 && size === 0) {
    const error = errorOfClose(answer.close.reason) ?? new RpcError('INTERNAL', 'the server ended the connection');
    return refuse(request, error);
  }
  while (session.idle !== undefined) {
    await session.idle;
    // Results that are ready together are collected for some microtasks before they are sent.
    await nextTurn();
  }
  session.closed();
  return new Response(writeBatch(answer), { headers: { 'Content-Type': BATCH_CONTENT_TYPE } });
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
