import { CLOSE_DROPPED, CLOSE_REFUSED } from '../../protocol/close-codes.ts';
import { answerTo, PING, PONG } from '../../protocol/heartbeat.ts';
import { EARLY_SUBPROTOCOL, REFUSED_SUBPROTOCOL } from '../../protocol/version.ts';
import { closeOfResponse } from '../../transport/http.ts';
import type { OpenTransport, TransportEvents } from '../../transport/transport.ts';

/** Answers requests: a Durable Object's stub, a service binding, or the Worker under test. */
export interface Fetches {
  fetch(request: Request): Promise<Response>;
}

/** Carries frames over a real socket to what answers an upgrade inside the same runtime; `request` makes that of an attempt. */
export function upgradeTransport(
  to: Fetches,
  url: string,
  request: (upgrade: Request) => Request = (upgrade) => upgrade,
): OpenTransport {
  return (events, offer) => {
    let socket: WebSocket | undefined;
    let isClosed = false;
    const headers = { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': offer.join(', ') };
    to.fetch(request(new Request(url, { headers }))).then(
      async (response) => {
        if (response.webSocket == null) return refused(url, response, events);
        if (isClosed) {
          response.webSocket.accept();
          return response.webSocket.close(CLOSE_DROPPED, '');
        }
        socket = response.webSocket;
        attach(socket, events);
        const protocol = response.headers.get('Sec-WebSocket-Protocol');
        if (protocol !== REFUSED_SUBPROTOCOL) events.opened(protocol === EARLY_SUBPROTOCOL);
      },
      (error) => events.lost(CLOSE_REFUSED, `NOT_EXECUTED: the request to ${url} failed: ${error}`),
    );
    const send = (message: string | Uint8Array<ArrayBuffer>) => {
      if (socket?.readyState === WebSocket.OPEN) socket.send(message);
    };
    return {
      send,
      probe: () => send(PING),
      close(code, reason) {
        isClosed = true;
        socket?.close(code, reason);
      },
    };
  };
}

function attach(socket: WebSocket, events: TransportEvents): void {
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('message', ({ data }) => {
    const answer = typeof data === 'string' ? answerTo(data) : undefined;
    if (data === PONG) events.alive();
    else if (answer !== undefined) socket.send(answer);
    // A frame that is text is none of the protocol's, and reads as one that is malformed.
    else events.received(typeof data === 'string' ? new Uint8Array(0) : new Uint8Array(data as ArrayBuffer));
  });
  socket.addEventListener('close', ({ code, reason }) => events.lost(code, reason));
  socket.accept();
}

async function refused(url: string, response: Response, events: TransportEvents): Promise<void> {
  const { code, reason } = await closeOfResponse(url, response);
  events.lost(code, reason);
}
