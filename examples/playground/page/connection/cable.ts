import { type ReadonlySignal, signal } from '@preact/signals';
import { CabledSocket } from './cabled-socket.ts';

/** What a cable tells of the frames that pass through it, and of their loss, and what it asks. */
export interface CableEvents {
  /** A frame has gone up. */
  onSent?: (bytes: number) => void;
  /** A frame has come down. */
  onReceived?: (bytes: number) => void;
  /** Whether a call has been sent and not answered: only then is there an answer to lose. @default always */
  awaitsAnswer?: () => boolean;
  /** The connection is lost; `droppedAnswer`: with an answer that was on its way. */
  onLost?: (droppedAnswer: boolean) => void;
}

/**
 * What a connection of this page runs through, so that it can be cut as a tunnel or a dead battery cuts it: the socket is
 * closed underneath, without a word to the library, and until the cable is joined again every attempt to connect fails.
 */
export class Cable {
  readonly #isJoined = signal(true);
  readonly #losesAnswer = signal(false);
  readonly #sockets = new Set<CabledSocket>();
  readonly #events: CableEvents;

  constructor(events: CableEvents = {}) {
    this.#events = events;
  }

  get isJoined(): ReadonlySignal<boolean> {
    return this.#isJoined;
  }

  /** Whether the next answer that comes down is to be lost, and the connection with it. */
  get losesAnswer(): ReadonlySignal<boolean> {
    return this.#losesAnswer;
  }

  /** Opens a socket through the cable, as `new WebSocket(url, protocols)` does. */
  open(url: string, protocols: string[]): CabledSocket {
    const socket: CabledSocket = new CabledSocket(this.#isJoined.value ? new WebSocket(url, protocols) : undefined, {
      sent: (bytes) => this.#events.onSent?.(bytes),
      received: (bytes) => this.#received(socket, bytes),
      ended: () => this.#sockets.delete(socket) && this.#events.onLost?.(false),
    });
    this.#sockets.add(socket);
    return socket;
  }

  cut(): void {
    this.#isJoined.value = false;
    for (const socket of [...this.#sockets]) socket.cut();
  }

  join(): void {
    this.#isJoined.value = true;
  }

  /** Has the next answer dropped on its way, once. */
  loseNextAnswer(isWanted: boolean): void {
    this.#losesAnswer.value = isWanted;
  }

  /** Whether a frame arrives. */
  #received(socket: CabledSocket, bytes: number): boolean {
    if (this.#losesAnswer.value && (this.#events.awaitsAnswer?.() ?? true)) {
      this.#losesAnswer.value = false;
      this.#sockets.delete(socket);
      this.#events.onLost?.(true);
      socket.cut();
      return false;
    }
    this.#events.onReceived?.(bytes);
    return true;
  }
}
