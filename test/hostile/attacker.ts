import { randomBytes } from 'node:crypto';
import { WebSocket } from 'ws';
import { CLIENT_PREFIX, SUBPROTOCOL } from '../../packages/rpc/src/protocol.ts';

/** More than this on the way to the server means that it does not keep up. */
const MAX_BUFFERED = 65_536;

/** One attacker: a socket that is opened anew whenever the server closes it. */
export class Attacker {
  readonly #url: string;
  /** The same for all of its connections. */
  readonly #name: string = randomBytes(16).toString('hex');
  #socket: WebSocket | undefined;
  #attempts = 0;
  /** Frames sent; some may have come when the server had closed. */
  sent = 0;
  /** How often the server closed, by code. */
  readonly closes = new Map<number, number>();
  /** Bytes that came back. */
  answered = 0;

  constructor(url: string) {
    this.#url = url;
    this.#open();
  }

  /** Whether it can send now. */
  get isReady(): boolean {
    const socket = this.#socket;
    return socket !== undefined && socket.readyState === WebSocket.OPEN && socket.bufferedAmount < MAX_BUFFERED;
  }

  send(frame: Uint8Array | string): void {
    this.#socket!.send(frame);
    this.sent++;
  }

  end(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.removeAllListeners('close');
    socket?.terminate();
  }

  #open(): void {
    const socket = new WebSocket(this.#url, [SUBPROTOCOL, `${CLIENT_PREFIX}${this.#name}.${++this.#attempts}.1`], {
      perMessageDeflate: false,
    });
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      this.answered += data.length;
    });
    socket.on('error', () => {}); // a close follows
    socket.on('close', (code) => {
      this.closes.set(code, (this.closes.get(code) ?? 0) + 1);
      if (this.#socket === socket) this.#open();
    });
  }
}
