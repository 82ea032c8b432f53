import { RpcError } from '@lumenize/rpc';
import {
  AdaptedSession,
  type CallOut,
  closeCodeOf,
  type OutsidePlace,
  type ServerSettings,
  type SessionHost,
} from '@lumenize/rpc/adapter';
import { RpcSession, type RpcTransportWithCustomEncoding } from 'capnweb';
import { MessageAdmission } from './admission.ts';
import { callOut, type Exchange, exposeTarget } from './references.ts';
import { expose, exposeThrown, revive } from './values.ts';

/** The parts of the server that a connection is made of. */
export interface Served {
  readonly settings: ServerSettings;
  readonly target: object;
  readonly host: SessionHost;
  /** True if clients may call methods that are declared `exactlyOnce`. */
  readonly atMostOnce: boolean;
  /** True for a batch, which is answered as soon as everything is there that it asks for. */
  readonly isBatch: boolean;
}

/** Sends messages to a client, and ends its connection. */
export interface Carrier {
  send(text: string): void;
  /** Called once, when no more messages may be sent. */
  close(code: number, error: RpcError): void;
}

/** Runs the calls of a client of Cap'n Web by the rules of the server. */
class ClientSession extends AdaptedSession {
  readonly #connection: CapnWebConnection;

  constructor(connection: CapnWebConnection, { settings, target, host }: Served, carrier: Carrier) {
    const transport = {
      send: (text: string | Uint8Array) => carrier.send(text as string),
      // The object ends the connection.
      close: (_code: number, reason: string) =>
        connection.end(new RpcError('NOT_EXECUTED', reason.replace(/^[A-Z_]+: /, ''))),
    };
    super(settings, target, transport, host);
    this.#connection = connection;
  }

  override get counts() {
    return { callsInFlight: 0, exports: this.held, ...this.#connection.admission.counts };
  }

  override give(value: unknown, method: string): unknown {
    return expose(value, this.#connection, `the result of ${method}()`);
  }

  override giveError(error: unknown, method: string): unknown {
    return error instanceof RpcError ? error : exposeThrown(error, this.#connection, `what ${method}() threw`);
  }

  override callOut(place: OutsidePlace, args: unknown[] | undefined): CallOut {
    return callOut(place, args, this.#connection);
  }
}

/**
 * The server's side of a Cap'n Web connection, and the transport of the package's session. It passes messages to the
 * session as values and not as text, so that it can check them first. It runs the client's calls like those of the
 * library's own sessions, and converts the values that both sides exchange.
 */
export class CapnWebConnection implements RpcTransportWithCustomEncoding, Exchange {
  readonly encodingLevel = 'jsonCompatible';
  readonly atMostOnce: boolean;
  readonly admission: MessageAdmission;
  readonly maxReferences: number;
  readonly session: AdaptedSession;
  /** The error that the connection ends with, or has ended with; undefined while it is open. */
  ended: RpcError | undefined;
  readonly #carrier: Carrier;
  readonly #rpc: RpcSession;
  readonly #chunks = new ChunkClock();
  readonly #queue: string[] = [];
  #next: PromiseWithResolvers<void> | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  /** Creates the server's side of a connection. */
  constructor(served: Served, carrier: Carrier) {
    const { target, settings, atMostOnce, isBatch } = served;
    this.atMostOnce = atMostOnce;
    this.maxReferences = settings.limits.maxReferences;
    this.#carrier = carrier;
    this.session = new ClientSession(this, served, carrier);
    this.admission = new MessageAdmission(this.session, isBatch);
    // The connection's target is never disposed of, because no client owns it.
    const exposed = exposeTarget(target, this, () => {});
    this.#rpc = new RpcSession(this, exposed, { onSendError: (error) => forClient(error, settings.stacks) });
  }

  get isOver(): boolean {
    return this.ended !== undefined;
  }

  /**
   * Resolves when all received messages have been read, or the session has stopped reading. Undefined if all are read.
   */
  get read(): Promise<void> | undefined {
    if (this.#queue.length === 0) return undefined;
    this.#drained ??= Promise.withResolvers();
    return this.#drained.promise;
  }

  /** Queues a message that has arrived for the session, unless the connection has ended. */
  deliver(text: string): void {
    if (this.isOver) return;
    this.session.arrived(text);
    this.#queue.push(text);
    this.#next?.resolve();
  }

  /** Ends the connection after the messages that were received before have been read. */
  end(error: RpcError): void {
    this.ended ??= error;
    this.#next?.reject(this.ended);
  }

  /** Resolves when all received messages have been read and everything that they asked for has been answered. */
  async answered(): Promise<void> {
    await this.read;
    // It rejects if the session has ended. The client learns that from a message.
    await this.#rpc.drain().catch(() => {});
  }

  // Members of `Exchange`, for references and calls.

  readonly give = (argument: unknown): unknown => expose(argument, this, 'what is passed', 'argument');

  readonly take = (value: unknown): unknown => {
    this.admission.objects = 0;
    return revive(value, this);
  };

  run(receiver: object, name: string | undefined, args: unknown[] | undefined): unknown {
    let given: unknown[] | undefined;
    try {
      given = args?.map(this.take);
    } catch (error) {
      throw this.session.refuse(error, name ?? 'a function');
    }
    return this.session.ask(receiver, name, given);
  }

  // Members that Cap'n Web's session calls.

  send(message: unknown): number {
    const release = this.admission.sent(message as unknown[]);
    this.#chunks.sent(message as unknown[]);
    const text = JSON.stringify(message);
    // The client no longer wants the answer, but it has to release the references in it.
    if (release === undefined || REFERENCE.test(text)) this.session.signal(text);
    if (release !== undefined) this.deliver(JSON.stringify(release));
    return text.length;
  }

  async receive(): Promise<unknown> {
    if (this.#queue.length === 0) {
      if (this.ended !== undefined) throw this.ended;
      this.#allRead();
      this.#next = Promise.withResolvers();
      await this.#next.promise;
    }
    const message = this.admission.receive(this.#queue[0]);
    const held = this.#chunks.hold(message);
    if (held !== undefined) await held;
    // Not earlier, because a message that is held back does not count as read.
    this.#queue.shift();
    return message;
  }

  /** Called by the session when it cannot continue, or must not. */
  abort(reason: unknown): void {
    const error =
      reason instanceof RpcError ? reason : new RpcError('MALFORMED_FRAME', messageOf(reason), { cause: reason });
    this.ended ??= error;
    this.#queue.length = 0;
    this.#allRead();
    this.#carrier.close(closeCodeOf(error), error);
    this.session.closed();
  }

  #allRead(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

/** Matches messages that contain references, and some that do not. */
const REFERENCE = /\["(export|promise|writable|readable)",/;

/**
 * Delays the acknowledgement of a stream chunk until the clock has moved on since the chunk was sent. Cap'n Web 0.12
 * takes an acknowledgement at the same instant for a round trip of no time: its window becomes NaN, and a writer that
 * waits for the window to open waits forever. The clock of a Worker stands still between one event and the next, so
 * this happens whenever a client is near.
 */
class ChunkClock {
  /** Time at which each unacknowledged chunk was sent, by the number that both sides give its message. */
  readonly #sentAt = new Map<number, number>();
  #nextId = 1;

  /** Called with each message that is sent. */
  sent([kind]: readonly unknown[]): void {
    if (kind === 'stream') this.#sentAt.set(this.#nextId, performance.now());
    if (kind === 'stream' || kind === 'push' || kind === 'pipe') this.#nextId++;
  }

  /**
   * Returns a promise that resolves when a received message may be passed on; undefined if it may be passed on at once.
   */
  hold([kind, id]: readonly unknown[]): Promise<void> | undefined {
    if (kind !== 'resolve' && kind !== 'reject') return undefined;
    const sentAt = this.#sentAt.get(id as number);
    this.#sentAt.delete(id as number);
    if (sentAt === undefined || kind === 'reject' || performance.now() > sentAt) return undefined;
    return later(sentAt);
  }
}

async function later(than: number): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, 1));
  while (performance.now() <= than);
}

/**
 * Returns the error to send to the client in place of `error`; undefined to send the error itself without its stack.
 */
function forClient(error: Error, withStack: boolean): Error | undefined {
  if (!(error instanceof RpcError)) return withStack ? error : undefined;
  // The client gets the code, the message and the data. The cause is for the server only.
  const { code, message, data, stack } = error;
  const more = data === undefined ? {} : { data };
  return Object.assign(new Error(message), { code, ...more, name: error.name, stack: withStack ? stack : '' });
}
