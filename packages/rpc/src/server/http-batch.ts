import { RpcError } from '../errors/rpc-error.ts';
import {
  BATCH_CONTENT_TYPE,
  BATCH_PREFIX_BYTES,
  type Batch,
  type Close,
  readBatch,
  readBatchType,
  writeBatch,
} from '../protocol/batch.ts';
import { errorOfClose } from '../protocol/loss.ts';
import type { Message } from '../protocol/message.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import { nextTurn } from '../session/incoming/turns.ts';
import type { Transport } from '../transport/transport.ts';
import { errorOfTarget, refuse, versionError } from './refusal.ts';
import type { ServerContext } from './server-context.ts';
import type { ServerSession } from './session.ts';

/** After so many bytes of frames others have their turn: three make a call, and thousands of these take milliseconds. */
export const BYTES_A_TURN = 16_384;

/** Returns true if a request is a batch of calls, of whatever version. */
export function isBatch(request: Request): boolean {
  return request.method === 'POST' && readBatchType(request.headers.get('Content-Type')).spoken;
}

/**
 * Runs the frames of a POST in a session of their own, and answers when all of their calls have ended. A refusal has an
 * error status, and means that nothing ran.
 */
export async function answerBatch(
  request: Request,
  { settings: { limits }, refusals }: ServerContext,
  caller: Caller,
  open: (channel: Transport, caller: Caller) => ServerSession,
): Promise<Response> {
  const refused = (error: RpcError) => {
    refusals.add(error, 'a batch', caller);
    return refuse(request, error);
  };
  // First of all: a body that is forwarded and never read makes the runtime log an error.
  const body = await readBody(request, limits.maxMessageBytes + BATCH_PREFIX_BYTES);
  if (body === undefined) {
    return refused(new RpcError('TOO_LARGE', `maxMessageBytes of ${limits.maxMessageBytes} exceeded`));
  }
  if (!readBatchType(request.headers.get('Content-Type')).shared) return refused(versionError());
  let calls: Batch;
  try {
    calls = readBatch(body);
  } catch (error) {
    return refused(error as RpcError);
  }

  const frames: Message[] = [];
  let close: Close | undefined;
  let session: ServerSession;
  try {
    const channel: Transport = {
      stateless: true,
      send: (frame) => frames.push(frame),
      close: (code, reason) => {
        close ??= { code, reason };
      },
    };
    session = open(channel, caller);
  } catch (error) {
    return refuse(request, errorOfTarget(error));
  }
  request.signal.addEventListener('abort', () => session.lost());

  let received = 0;
  let bytes = 0;
  for (; received < calls.frames.length && close === undefined; received++) {
    // At least a job later, so that what a frame leads to, such as the end, has come before the next. Where a call waits, in an
    // event of its own, as a frame of a socket does.
    if (received > 0) await (bytes < BYTES_A_TURN && session.idle === undefined ? undefined : nextTurn());
    if (bytes >= BYTES_A_TURN) bytes = 0;
    bytes += calls.frames[received].length;
    session.receive(calls.frames[received]);
  }
  if (close !== undefined && received === 1) {
    const error = errorOfClose(close.reason) ?? new RpcError('INTERNAL', 'the server ended the connection');
    return refuse(request, error);
  }
  await whenIdle(session);
  session.lost();
  return new Response(writeBatch({ frames, close }), { headers: { 'Content-Type': BATCH_CONTENT_TYPE } });
}

async function whenIdle(session: ServerSession): Promise<void> {
  while (session.idle !== undefined) {
    await session.idle;
    // Results that are ready together are collected for some jobs before they leave.
    await nextTurn();
  }
}

/** Reads a body; undefined where it is larger than it may be, of which no more than that is read. */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const length = request.headers.get('Content-Length');
  if (Number(length) > maxBytes) return undefined;
  if (length !== null) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    // Leaving the loop cancels the rest.
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  const body = new Uint8Array(size);
  for (const chunk of chunks.reverse()) {
    size -= chunk.length;
    body.set(chunk, size);
  }
  return body;
}
