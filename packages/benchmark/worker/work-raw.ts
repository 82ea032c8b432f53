import { DurableObject } from 'cloudflare:workers';
import type { EventSource, Message } from '../src/events/events.ts';
import type { KeyValues } from '../src/work/work.ts';
import { workOn } from '../src/work/work-target.ts';
import { EventRows } from './event-rows.ts';

type Methods = Record<string, (...args: unknown[]) => unknown>;

interface RawRequest {
  readonly id: number;
  readonly m: string;
  readonly a: readonly unknown[];
}

const work = workOn(Object);

/**
 * The floor: hand-written JSON over hibernating sockets. An event is written as JSON once, for storage and all
 * subscribers; that a socket is one of them survives hibernation with it.
 */
export class WorkRaw extends DurableObject implements EventSource {
  readonly #rows = new EventRows(this.ctx.storage.sql);
  readonly #work = work(this.ctx.storage.kv as KeyValues, this) as Methods;
  readonly #subscribers = new Set(this.ctx.getWebSockets().filter((socket) => socket.deserializeAttachment() === true));
  /** Whose frame is being answered. */
  #caller: WebSocket | undefined;

  override fetch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  override webSocketMessage(socket: WebSocket, frame: string): void {
    const message = JSON.parse(frame) as RawRequest | RawRequest[];
    this.#caller = socket;
    // Those of one frame are answered in one, as the counter of the example does.
    const reply = Array.isArray(message) ? message.map((request) => this.#answer(request)) : this.#answer(message);
    socket.send(JSON.stringify(reply));
  }

  #answer({ id, m, a }: RawRequest): object {
    try {
      return { id, r: this.#work[m](...a) ?? null };
    } catch (error) {
      return { id, e: String(error) };
    }
  }

  override webSocketClose(socket: WebSocket): void {
    this.#subscribers.delete(socket);
  }

  publish(message: Message): number {
    const event = JSON.stringify(message);
    const number = this.#rows.add(event);
    const frame = `{"n":${number},"e":${event}}`;
    for (const socket of this.#subscribers) socket.send(frame);
    return number;
  }

  subscribe(): void {
    this.#caller!.serializeAttachment(true);
    this.#subscribers.add(this.#caller!);
  }
}
