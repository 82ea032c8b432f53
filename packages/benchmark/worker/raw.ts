import { DurableObject } from 'cloudflare:workers';
import { type Session, type User, verifyToken } from '../src/gateway/gateway.ts';
import { answerByHand, type Methods, type RequestByHand } from '../src/work/by-hand.ts';
import { type EventSource, type KeyValues, type Message, workOn } from '../src/work/work.ts';
import { EventRows, Sessions } from './served.ts';

const Work = workOn(Object);

/** The floor: an object that answers hand-written JSON over sockets which hibernate, and knows something of some of them. */
abstract class RawObject<Known> extends DurableObject {
  /** True if the object may leave memory while its sockets are open. */
  protected readonly hibernates: boolean = true;
  /** Knowledge of sockets, which survives hibernation with them. */
  protected readonly known = new Map<WebSocket, Known>(
    this.ctx.getWebSockets().flatMap((socket): [WebSocket, Known][] => {
      const known: Known | null = socket.deserializeAttachment();
      return known === null ? [] : [[socket, known]];
    }),
  );

  override fetch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    if (this.hibernates) this.ctx.acceptWebSocket(server);
    else {
      server.accept();
      server.addEventListener('message', ({ data }) => this.webSocketMessage(server, data as string));
      server.addEventListener('close', () => this.webSocketClose(server));
    }
    return new Response(null, { status: 101, webSocket: client });
  }

  abstract override webSocketMessage(socket: WebSocket, frame: string): void | Promise<void>;

  /** Answers a close, as every object with hibernating sockets has to: otherwise the client waits, and keeps its connection. */
  override webSocketClose(socket: WebSocket): void {
    this.known.delete(socket);
    if (this.hibernates) socket.close();
  }

  protected know(socket: WebSocket, known: Known): void {
    this.known.set(socket, known);
    if (this.hibernates) socket.serializeAttachment(known);
  }

  /** Sends an event, which is written as JSON once, to all sockets that are known but one. */
  protected tell(number: number, event: string, but?: WebSocket): void {
    const frame = `{"n":${number},"e":${event}}`;
    for (const socket of this.known.keys()) if (socket !== but) socket.send(frame);
  }
}

/** The work in hand-written JSON, whose sockets are known that have subscribed. */
export class WorkRaw extends RawObject<true> implements EventSource {
  readonly #rows = new EventRows(this.ctx.storage.sql);
  readonly #work = new Work(this.ctx.storage.kv as KeyValues, { events: this, sql: this.ctx.storage.sql });
  /** The socket whose frame is being answered. */
  #caller: WebSocket | undefined;

  override webSocketMessage(socket: WebSocket, frame: string): void {
    this.#caller = socket;
    socket.send(JSON.stringify(answerByHand(this.#work, JSON.parse(frame))));
  }

  publish(message: Message): number {
    const event = JSON.stringify(message);
    const number = this.#rows.add(event);
    this.tell(number, event);
    return number;
  }

  subscribe(): void {
    this.know(this.#caller!, true);
  }
}

/** The same over an `accept()`ed socket. */
export class WorkRawAccept extends WorkRaw {
  protected override readonly hibernates = false;
}

/** Sessions are told by whoever has written them as JSON for the reply. */
const BY_HAND: EventSource<Session, void> = { publish() {}, subscribe() {} };

/** The floor: the gateway in hand-written JSON, whose sockets are known that have shown a token. */
export class GatewayRaw extends RawObject<User> {
  readonly #sessions = new Sessions(this.ctx.storage.sql);

  override webSocketMessage(socket: WebSocket, text: string): void | Promise<void> {
    const frame: RequestByHand = JSON.parse(text);
    if (frame.t !== undefined) return this.#authenticate(socket, frame);
    this.#answer(socket, frame);
  }

  async #authenticate(socket: WebSocket, frame: RequestByHand): Promise<void> {
    const user = await verifyToken(frame.t);
    if (user !== undefined) this.know(socket, user);
    this.#answer(socket, frame);
  }

  #answer(socket: WebSocket, { id, m, a }: RequestByHand): void {
    const user = this.known.get(socket);
    try {
      if (user === undefined) throw new Error('authentication failed');
      const work = new Work(this.ctx.storage.kv as KeyValues, { events: BY_HAND, sessions: this.#sessions, user });
      const result = JSON.stringify((work as object as Methods)[m](...a));
      socket.send(`{"id":${id},"r":${result}}`);
      if (m === 'createSession') this.tell(0, result, socket);
    } catch (error) {
      socket.send(JSON.stringify({ id, e: String(error) }));
    }
  }
}

/** The floor without hibernation. */
export class GatewayRawAccept extends GatewayRaw {
  protected override readonly hibernates = false;
}
