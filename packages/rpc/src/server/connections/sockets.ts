import { answeredName, askFor, PING, PONG } from '../../protocol/heartbeat.ts';
import { isFrameText, type Message } from '../../protocol/message.ts';
import type { Transport } from '../../transport/transport.ts';
import type { ServerSession } from '../session.ts';
import { attachEnd } from './attachment.ts';

/** Has the runtime answer heartbeats without waking the object, unless the object's class uses its one pair for something else. */
export function answerHeartbeats(ctx: DurableObjectState): void {
  if (ctx.getWebSocketAutoResponse() === null) {
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }
}

/** The way back to the client of a socket. */
export class SocketChannel implements Transport {
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  send(frame: Message): void {
    this.#trySend(frame);
  }

  ask(name: string): void {
    this.#trySend(askFor(name));
  }

  close(code: number, reason: string): void {
    // More may arrive until the client answers, also when the object has left memory and knows no more than is attached.
    attachEnd(this.#socket);
    this.#socket.close(code, reason);
  }

  #trySend(message: Message): void {
    try {
      this.#socket.send(message);
    } catch {
      // The client is gone: its calls settle on its side.
    }
  }
}

/** Hands a message to its session; answers a heartbeat that the runtime has not answered. */
export function receiveMessage(socket: WebSocket, session: ServerSession, message: string | ArrayBuffer): void {
  if (typeof message !== 'string') session.receive(new Uint8Array(message));
  else if (isFrameText(message)) session.receive(message);
  else if (message === PING) socket.send(PONG);
  else {
    const name = answeredName(message);
    // Also one that an earlier life of the object asked for.
    if (name === undefined) session.refuseText();
    else session.read(name);
  }
}

/** Accepts a socket, not to hibernate, and serves it until it ends. */
export function serveAccepted(socket: WebSocket, session: ServerSession): void {
  const end = () => session.lost();
  socket.binaryType = 'arraybuffer';
  socket.accept();
  socket.addEventListener('message', ({ data }) => receiveMessage(socket, session, data as string | ArrayBuffer));
  socket.addEventListener('close', end);
  socket.addEventListener('error', end);
}
