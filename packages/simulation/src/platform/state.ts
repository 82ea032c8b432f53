import type { Endpoint } from './endpoint.ts';
import type { Life } from './life.ts';
import { ObjectWebSocket, type WebSocketRequestResponsePair } from './object-socket.ts';
import { DurableStorage } from './storage.ts';

const MAX_SOCKETS = 32_768;
const MAX_TAGS = 10;
const MAX_TAG_LENGTH = 256;
const MAX_AUTO_RESPONSE = 2048;

/** The state of an object's hibernating sockets, which the runtime keeps. */
export interface Hibernation {
  /** The sockets, in the order in which they were accepted. */
  readonly sockets: Set<Endpoint>;
  autoResponse: WebSocketRequestResponsePair | null;
  /** Starts receiving from a socket. */
  accepted(endpoint: Endpoint): void;
}

/** An object, from the point of view of its state. */
export interface StateHost {
  readonly id: unknown;
  readonly hibernation: Hibernation;
  readonly database: ConstructorParameters<typeof DurableStorage>[0];
  broken(life: Life, error: unknown): void;
}

/** `ctx`, the first argument of an object's constructor. */
export class ObjectState {
  readonly id: unknown;
  readonly storage: DurableStorage;
  readonly props = {};
  readonly exports = {};
  readonly #life: Life;
  readonly #host: StateHost;

  constructor(life: Life, host: StateHost) {
    this.id = host.id;
    this.#life = life;
    this.#host = host;
    this.storage = new DurableStorage(host.database, life);
  }

  waitUntil(promise: Promise<unknown>): void {
    this.#life.waitUntil(promise);
  }

  async blockConcurrencyWhile<Result>(job: () => Promise<Result>): Promise<Result> {
    try {
      return await this.#life.exclusively(async () => job());
    } catch (error) {
      this.#host.broken(this.#life, error);
      throw error;
    }
  }

  abort(reason?: string): never {
    const error = new Error(reason ?? 'Application called abort() to reset Durable Object.');
    this.#host.broken(this.#life, error);
    throw error;
  }

  acceptWebSocket(socket: ObjectWebSocket, tags: string[] = []): void {
    const { hibernation } = this.#host;
    const { endpoint } = socket;
    if (endpoint.isAccepted) {
      throw new Error('Cannot call `acceptWebSocket()` if the WebSocket was already accepted via `accept()`');
    }
    if (hibernation.sockets.size >= MAX_SOCKETS) {
      throw new Error(`only ${MAX_SOCKETS} websockets can be accepted on a single Durable Object instance`);
    }
    const unique = [...new Set(tags)];
    if (unique.length > MAX_TAGS) throw new Error(`a Hibernatable WebSocket cannot have more than ${MAX_TAGS} tags`);
    const long = unique.find((tag) => tag.length > MAX_TAG_LENGTH);
    if (long !== undefined) {
      throw new Error(`"${long}" is longer than the max tag length (${MAX_TAG_LENGTH} characters).`);
    }
    endpoint.isAccepted = true;
    endpoint.tags = unique;
    this.#life.adopt(socket);
    hibernation.sockets.add(endpoint);
    hibernation.accepted(endpoint);
  }

  /**
   * Returns the sockets with a tag in the order in which they were accepted, or all sockets in the opposite order, as
   * workerd does.
   */
  getWebSockets(tag?: string): ObjectWebSocket[] {
    const all = [...this.#host.hibernation.sockets];
    const found = tag === undefined ? all.reverse() : all.filter(({ tags }) => tags.includes(tag));
    return found.map((endpoint) => socketIn(this.#life, endpoint));
  }

  getTags(socket: ObjectWebSocket): string[] {
    if (!this.#host.hibernation.sockets.has(socket.endpoint)) {
      throw new Error('you must call `acceptWebSocket()` before attempting to access the tags of a WebSocket.');
    }
    return [...socket.endpoint.tags];
  }

  setWebSocketAutoResponse(pair?: WebSocketRequestResponsePair): void {
    if (pair !== undefined && Math.max(pair.request.length, pair.response.length) > MAX_AUTO_RESPONSE) {
      throw new RangeError(`Request and response cannot be larger than ${MAX_AUTO_RESPONSE} bytes.`);
    }
    this.#host.hibernation.autoResponse = pair ?? null;
  }

  getWebSocketAutoResponse(): WebSocketRequestResponsePair | null {
    return this.#host.hibernation.autoResponse;
  }

  getWebSocketAutoResponseTimestamp(socket: ObjectWebSocket): Date | null {
    const { autoRespondedAt } = socket.endpoint;
    return autoRespondedAt === null ? null : new Date(autoRespondedAt);
  }

  setHibernatableWebSocketEventTimeout(_ms?: number): void {}

  getHibernatableWebSocketEventTimeout(): number | null {
    return null;
  }
}

/** Returns the socket that code of a life has for an end of a socket. Creates it if there is none yet. */
export function socketIn(life: Life, endpoint: Endpoint): ObjectWebSocket {
  const known = life.socketOf(endpoint);
  if (known !== undefined) return known as ObjectWebSocket;
  const socket = new ObjectWebSocket(endpoint);
  life.adopt(socket);
  return socket;
}
