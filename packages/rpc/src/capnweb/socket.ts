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
import { CapnWebSession, type Served } from './session.ts';

const CLOSE_CODES: Partial<Record<RpcErrorCode, number>> = {
  TOO_LARGE: CLOSE_TOO_LARGE,
  MALFORMED_FRAME: CLOSE_MALFORMED,
  EXPIRED: CLOSE_EXPIRED,
  LIMIT_EXCEEDED: CLOSE_POLICY,
  RATE_LIMITED: CLOSE_POLICY,
};

/** Accepts a socket, not to hibernate: a session of Cap'n Web lives in memory only. */
export function serveCapnWebSocket(served: Served): Response {
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
