import { RpcTarget } from '#platform';
import { CLOSE_ENDED, CLOSE_NORMAL, CLOSE_REFUSED, closeReason } from '../protocol/errors.ts';
import type { Message } from '../protocol/message.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import type {
  NativeConnection,
  NativeServer,
  NumberedClose,
  NumberedFrames,
  NumberedList,
  OpenedConnection,
  ReceiveNative,
} from '../transport/binding.ts';
import type { Transport } from '../transport/transport.ts';
import { isExpired, knownCaller } from './access/caller.ts';
import { ENDED } from './connections/connections.ts';
import type { OtherConnection } from './options.ts';
import { errorOfTarget } from './refusal.ts';
import type { ServerSession } from './session.ts';
import type { EventChannel, NotedTopics } from './topics/subscriber.ts';

/** The arguments that open a connection over the platform's RPC, and the result for its client. */
export type Opening = Parameters<NativeServer['openRpcConnection']>;
export type Opened = ReturnType<NativeServer['openRpcConnection']>;

/** A function that was passed through the platform's RPC. */
type NativeFunction = ReceiveNative & Disposable & { dup(): NativeFunction };

/**
 * Opens a connection over the platform's RPC, and runs its first frame. Answers that are ready when all calls of the
 * frame have begun are returned with the connection. It does not wait longer: a client that ends before it has the
 * connection leaves one behind that nobody ends.
 */
export function openNativeConnection(
  [receive, identity, frame, expiresAt]: Opening,
  open: (channel: Transport, caller: Caller) => ServerSession,
): Opened {
  const connection = new ServedConnection(receive as NativeFunction, (channel) =>
    open(channel, knownCaller(identity, expiresAt)),
  );
  const opened = (frames: NumberedList): OpenedConnection => ({ connection, frames, close: connection.closed });
  // Longer calls are not awaited; calls on the connection wait until it has arrived.
  const frames = connection.runFirst(frame);
  return frames instanceof Promise ? frames.then(opened) : opened(frames);
}

/** A client that is connected through the platform's RPC, as its object sees it. */
export class NativeEvents implements EventChannel, OtherConnection {
  topics: NotedTopics | undefined;
  announce: (() => void) | undefined;
  readonly #session: ServerSession;
  readonly #transport: Transport;

  constructor(session: ServerSession, transport: Transport) {
    this.#session = session;
    this.#transport = transport;
  }

  get caller(): Caller {
    return this.#session.caller!;
  }

  close(): void {
    this.#session.close(CLOSE_ENDED, ENDED);
  }

  sendEvents(frames: readonly Message[], now: number): boolean {
    if (this.#session.isOver) return false;
    const isLate = isExpired(this.caller?.expiresAt, now);
    // A client that only listens sends no frame with which the expiry would be noticed.
    if (isLate) this.#session.expire();
    else for (const frame of frames) this.#transport.send(frame);
    return !isLate;
  }

  note(topics: NotedTopics): void {
    this.topics = topics;
  }
}

class ServedConnection extends RpcTarget implements NativeConnection {
  readonly #session: ServerSession | undefined;
  readonly #receive: NativeFunction;
  /** The close code and reason, once this side has ended the connection. */
  closed: NumberedClose | undefined;
  readonly #end = Promise.withResolvers<NumberedClose>();
  /** Calls of `send` that have no result frame yet. */
  readonly #waiting: ((frames: NumberedFrames) => void)[] = [];
  /** Result frames that are collected while a call frame runs. */
  #ready: NumberedList | undefined;
  #sent = 0;
  #released = false;

  constructor(receive: NativeFunction, open: (channel: Transport) => ServerSession) {
    super();
    // The platform releases an argument at the end of the call, unless it is duplicated.
    this.#receive = receive.dup();
    try {
      this.#session = open({
        send: (frame) => this.#send(frame),
        close: (code, reason) => this.#close(code, reason),
      });
    } catch (error) {
      this.#close(CLOSE_REFUSED, closeReason(errorOfTarget(error)));
    }
  }

  /** Runs a call frame, and returns the result frames that are ready afterwards. */
  run(frame: Message): NumberedList {
    const ready: NumberedList = [this.#sent];
    this.#ready = ready;
    this.#session?.receive(frame);
    this.#ready = undefined;
    return ready;
  }

  /** Runs the first call frame, if any, and returns the result frames that are ready when all of it has begun. */
  runFirst(frame: Message | undefined): NumberedList | Promise<NumberedList> {
    if (frame === undefined) return [0];
    const ready = this.run(frame);
    const begun = this.#session?.begun;
    if (begun === undefined) return ready;
    this.#ready = ready;
    return begun.then(() => {
      this.#ready = undefined;
      return ready;
    });
  }

  send(frame: Message): NumberedFrames | Promise<NumberedFrames> {
    const ready = this.run(frame);
    if (ready.length > 1 || this.#session?.idle === undefined) return shortened(ready);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  ended(): Promise<NumberedClose> {
    return this.#end.promise;
  }

  close(): void {
    this[Symbol.dispose]();
  }

  /** Also called by the platform when the client is gone. */
  [Symbol.dispose](): void {
    if (this.#released) return;
    this.#released = true;
    this.#session?.closed();
    this.#receive[Symbol.dispose]();
    this.#close(CLOSE_NORMAL, '');
    for (const resolve of this.#waiting.splice(0)) resolve([this.#sent]);
  }

  #close(code: number, reason: string): void {
    this.closed ??= [this.#sent, code, reason];
    this.#end.resolve(this.closed);
  }

  #send(frame: Message): void {
    const number = this.#sent++;
    if (this.#ready !== undefined) this.#ready.push(frame);
    else if (this.#released) return;
    else if (this.#waiting.length > 0) this.#waiting.shift()!(shortened([number, frame]));
    // If that fails the client is gone, and its calls settle on its side.
    else Promise.resolve(this.#receive(shortened([number, frame]))).catch(() => {});
  }
}

/** Returns the frames in the form that the platform passes quickest. */
function shortened(frames: NumberedList): NumberedFrames {
  const frame = frames[1];
  return frames.length === 2 && typeof frame === 'string' ? `${frames[0]} ${frame}` : frames;
}
