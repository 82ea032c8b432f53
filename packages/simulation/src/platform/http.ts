import type { ObjectWebSocket } from './object-socket.ts';

interface RequestExtras {
  readonly cf?: unknown;
}

/** The platform's `Request`. It has `cf`, which only Workers can set. */
export class SimulatedRequest extends Request {
  // A private field, because own properties would be taken for the user's.
  readonly #cf: unknown;

  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Request;
  }

  constructor(input: RequestInfo | URL, init?: RequestInit & RequestExtras) {
    super(input, init);
    this.#cf = init !== undefined && 'cf' in init ? init.cf : (input as Partial<RequestExtras>).cf;
  }

  get cf(): unknown {
    return this.#cf;
  }
}

interface ResponseExtras {
  readonly webSocket?: ObjectWebSocket | null;
}

const UPGRADED = 101;

/** The platform's `Response`. A response with a socket completes an upgrade with the status 101, which Node refuses. */
export class SimulatedResponse extends Response {
  readonly #webSocket: ObjectWebSocket | null;

  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Response;
  }

  constructor(body?: BodyInit | null, init: ResponseInit & ResponseExtras = {}) {
    const isUpgraded = init.status === UPGRADED;
    super(body, isUpgraded ? { headers: init.headers } : init);
    this.#webSocket = init.webSocket ?? null;
    if (!isUpgraded) return;
    if (this.#webSocket === null) throw new RangeError('a response of status 101 needs a webSocket');
    Object.defineProperty(this, 'status', { value: UPGRADED });
    Object.defineProperty(this, 'ok', { value: false });
  }

  get webSocket(): ObjectWebSocket | null {
    return this.#webSocket;
  }
}

// The names that appear in messages.
Object.defineProperty(SimulatedRequest, 'name', { value: 'Request' });
Object.defineProperty(SimulatedResponse, 'name', { value: 'Response' });
