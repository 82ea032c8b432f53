import type { Endpoint, Message } from '../platform/endpoint.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { hashBytes } from '../scheduler/trace.ts';
import { frameBytes, Pipe } from './pipe.ts';

const UTF8 = new TextEncoder();

/** How long messages of a client are under way. */
export interface Delays {
  /** The minimum delay in each direction, in milliseconds. Jitter is added. */
  up: number;
  down: number;
  jitter: number;
}

/** The events of a connection, for a client's socket. */
export interface LinkEvents {
  arrived(message: Message): void;
  /** Called when the connection is gone without a close. */
  lost(): void;
  /** Called when both sides have agreed to end the connection. */
  ended?(): void;
}

/** The longest time until a side notices that a connection broke, in milliseconds. */
const MOST_NOTICE_MS = 400;

/** A connection over the network, between a client's socket and the platform's end of it. */
export class Link {
  readonly name: string;
  readonly up: Pipe;
  readonly down: Pipe;
  readonly #scheduler: Scheduler;
  readonly #events: LinkEvents;
  #end: Endpoint | undefined;
  #isCut = false;
  /** True if the client no longer uses the connection. Its last messages may still be under way. */
  #isFinished = false;

  constructor(name: string, scheduler: Scheduler, delays: Delays, events: LinkEvents) {
    this.name = name;
    this.#scheduler = scheduler;
    this.#events = events;
    const { random } = scheduler;
    const delay = (direction: 'up' | 'down') => () =>
      delays[direction] + random.between(`${direction} ${name}`, 0, delays.jitter);
    this.up = new Pipe(name, scheduler, delay('up'));
    this.down = new Pipe(name, scheduler, delay('down'));
  }

  /** The platform's end of the socket. */
  get end(): Endpoint | undefined {
    return this.#end;
  }

  get isOver(): boolean {
    return this.#isCut || this.#isFinished;
  }

  /** Couples the connection with the platform's end of the socket. */
  couple(end: Endpoint): void {
    this.#end = end;
    if (this.#isCut) return this.#tell(end);
    end.receiveWith((message) => {
      if (message.kind === 'lost') return this.cut();
      this.#carry(this.down, message, false, () => this.#events.arrived(message));
    });
  }

  /** Sends a message of the client. */
  send(message: Message): void {
    this.#carry(this.up, message, true, () => this.#end?.transmit(message));
  }

  /**
   * Breaks the connection. Both sides notice after some time. Some of the data under way may still arrive at the
   * platform, long after the client has noticed.
   */
  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    const { random } = this.#scheduler;
    this.note('cut');
    this.#scheduler.noteActive();
    const arriving = random.chance(`cut ${this.name}`, 0.5) ? random.below(`cut ${this.name}`, this.up.packets + 1) : 0;
    this.up.cut(arriving);
    this.down.cut();
    if (!this.#isFinished) this.#scheduler.after(this.#noticeMs(), this.name, 'notice', () => this.#events.lost());
    if (this.#end !== undefined) this.#tell(this.#end);
  }

  /** Ends the connection as agreed. Nothing more arrives at the client. */
  finish(): void {
    if (this.isOver) return;
    this.#isFinished = true;
    this.down.cut();
    this.#events.ended?.();
  }

  /** Makes the platform notice that the connection is broken, after the data that still arrives. */
  #tell(end: Endpoint): void {
    const notice = () => {
      if (!this.up.isEmpty) this.#scheduler.after(1, this.name, 'notice', notice);
      else end.transmit({ kind: 'lost' });
    };
    this.#scheduler.after(this.#noticeMs(), this.name, 'notice', notice);
  }

  #noticeMs(): number {
    return this.#scheduler.random.between(`notice ${this.name}`, 0, MOST_NOTICE_MS);
  }

  #carry(pipe: Pipe, message: Message, isUp: boolean, deliver: () => void): void {
    const direction = isUp ? 'up' : 'down';
    const what = describe(message);
    // Heartbeats are texts that are not frames. They do not count, because an idle world sends them too.
    const isActive = message.kind !== 'data' || typeof message.data !== 'string' || message.data.startsWith('[');
    const note = (event: string) => {
      this.note(`${event} ${direction}`, what);
      if (isActive) this.#scheduler.noteActive();
    };
    note('send');
    pipe.send(frameBytes(lengthOf(message), isUp), () => {
      note('arrive');
      deliver();
    });
  }

  note(event: string, detail = ''): void {
    this.#scheduler.trace.add(this.#scheduler.now, this.name, event, detail);
  }
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? UTF8.encode(data) : data;
}

function lengthOf(message: Message): number {
  if (message.kind === 'close') return 2 + message.reason.length;
  if (message.kind === 'lost') return 0;
  return bytesOf(message.data).length;
}

function describe(message: Message): string {
  if (message.kind === 'close') return `close ${message.code} ${JSON.stringify(message.reason)}`;
  if (message.kind === 'lost') return 'lost';
  const { data } = message;
  const bytes = bytesOf(data);
  return `${typeof data === 'string' ? 'text' : 'bytes'} ${bytes.length} ${hashBytes(bytes)}`;
}
