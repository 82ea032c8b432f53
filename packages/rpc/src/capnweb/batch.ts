import { RpcError } from '../errors/rpc-error.ts';
import { BYTES_A_TURN, readBody } from '../server/http-batch.ts';
import { refuse } from '../server/refusal.ts';
import { briefly, nextTurn } from '../session/incoming/turns.ts';
import { CapnWebSession, type Served } from './session.ts';

/** To make it, to wait for it, and to let go of it. */
const MESSAGES_A_CALL = 3;

/** Answers a batch, which is a message a line, in a session of its own. */
export async function answerCapnWebBatch(request: Request, served: Served): Promise<Response> {
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
