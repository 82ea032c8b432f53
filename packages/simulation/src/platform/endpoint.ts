/** A message of a socket. */
export type Message =
  | { readonly kind: 'data'; readonly data: string | Uint8Array<ArrayBuffer> }
  | { readonly kind: 'close'; readonly code: number; readonly reason: string }
  /** The connection broke. No side sends this message. */
  | { readonly kind: 'lost' };

/** Called with each message that arrives at an end of a socket, over the network or from the code that accepted it. */
export type Receive = (message: Message) => void;

/** An end of a socket, as code sees it. */
export interface HasEndpoint {
  readonly endpoint: Endpoint;
}

/** One end of a socket, as the runtime keeps it. The objects that code has for it may come and go. */
export class Endpoint {
  tags: readonly string[] = [];
  attachment: Buffer | undefined;
  autoRespondedAt: number | null = null;
  hasSentClose = false;
  hasReceivedClose = false;
  isLost = false;
  isAccepted = false;
  readonly name: string;
  #peer: Endpoint | undefined;
  #receive: Receive | undefined;
  #early: Message[] = [];

  constructor(name: string) {
    this.name = name;
  }

  static pair(name: string): [Endpoint, Endpoint] {
    const ends: [Endpoint, Endpoint] = [new Endpoint(`${name}a`), new Endpoint(`${name}b`)];
    ends[0].#peer = ends[1];
    ends[1].#peer = ends[0];
    return ends;
  }

  get peer(): Endpoint | undefined {
    return this.#peer;
  }

  get isOver(): boolean {
    return this.isLost || (this.hasSentClose && this.hasReceivedClose);
  }

  /** Sends a message to the other end, where it arrives at once. */
  transmit(message: Message): void {
    this.#peer!.arrive(message);
  }

  /** Handles a message from the other end. Messages wait until there is a receiver. */
  arrive(message: Message): void {
    if (this.#receive === undefined) this.#early.push(message);
    else this.#receive(message);
  }

  /** Sets the receiver of messages. It also receives the messages that have waited. */
  receiveWith(receive: Receive): void {
    this.#receive = receive;
    for (const message of this.#early.splice(0)) receive(message);
  }
}
