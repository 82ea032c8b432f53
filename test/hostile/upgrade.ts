import { connect } from 'node:net';

/** What of a request to vary: lines as they are sent, in Latin-1, so that any byte can be. */
export interface RawRequest {
  method?: string;
  path?: string;
  headers?: readonly string[];
  body?: string;
}

const KEY = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==';
/** What every upgrade of ours has beside its subprotocol. */
export const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', KEY];

/** Sends a request byte by byte as it is given, and returns the status of the answer; undefined where the server hangs up without one. */
export function rawStatus(port: number, { method = 'GET', path = '/', headers = [], body = '' }: RawRequest) {
  return new Promise<number | undefined>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1');
    socket.on('error', (error: NodeJS.ErrnoException) =>
      // The rest of a request that is too large is not read.
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(statusOf(text)) : reject(error),
    );
    socket.on('close', () => resolve(statusOf(text)));
    socket.on('data', (data) => {
      text += data;
      if (!text.includes('\r\n')) return;
      socket.destroy();
      resolve(statusOf(text));
    });
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`, 'latin1');
  });
}

function statusOf(text: string): number | undefined {
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? [];
  return status === undefined ? undefined : Number(status);
}
