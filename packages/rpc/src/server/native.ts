import { decode } from '@lumenize/structured-clone';
import { RpcTarget } from '#platform';
import { CLOSE_EXPIRED, CLOSE_NORMAL, CLOSE_REFUSED, closeReason } from '../closes.ts';
import type {
  NativeConnection,
  NativeServer,
  NumberedClose,
  NumberedList,
  NumberedMessages,
  OpenedConnection,
  ReceiveNative,
} from '../transport/native.ts';
import type { Transport } from '../transport/transport.ts';
import type { Caller } from '../types/call-context.ts';
import type { Message } from '../types/message.ts';
import { Expiring, expiredError, isExpired, newCaller } from './callers.ts';
import { errorOf } from './refusal.ts';
import type { Session } from './session.ts';
import type { Subscriber } from './topics/topics.ts';

/** The arguments that open a connection over the platform's RPC. */
export type Opening = Parameters<NativeServer['openRpcConnection']>;

/** A function that was passed through the platform's RPC. */
type NativeFunction = ReceiveNative & Disposable & { dup(): NativeFunction };

/** Opens the session of a caller. `ended` is called when it has ended. */
type OpenSession = (transport: Transport & Subscriber, caller: Caller) => { session: Session; ended?: () => void };

/**
 * Opens a connection over the platform's RPC, and runs its first message. Answers that are ready at once are returned
 * with the connection. It does not wait: a client that ends before it has the connection leaves one behind that nobody
 * ends.
 */
export function openNative([receive, identity, message, expiresAt]: Opening, open: OpenSession): OpenedConnection {
  const caller = newCaller(new Expiring(decode(identity), expiresAt));
  const connection = new ServedConnection(receive as NativeFunction, caller, open);
  const messages: NumberedList = message === undefined ? [0] : connection.run(message);
  const { end, over } = connection;
  return { connection, messages, ended: () => end, close: over };
}

class ServedConnection extends RpcTarget implements NativeConnection {
  readonly #session: Session | undefined;
  readonly #ended: (() => void) | undefined;
  readonly #receive: NativeFunction;
  readonly #end = Promise.withResolvers<NumberedClose>();
  /** Calls of `send` that have no answer yet. */
  readonly #waiting: ((messages: NumberedMessages) => void)[] = [];
  /** Answers that are collected while a message runs. */
  #ready: NumberedList | undefined;
  #sent = 0;
  #released = false;
  #over: NumberedClose | undefined;

  constructor(receive: NativeFunction, caller: Caller, open: OpenSession) {
    super();
    // The platform releases an argument at the end of the call, unless it is duplicated.
    this.#receive = receive.dup();
    const transport = {
      caller,
      send: (message: Message) => this.#send(message),
      close: (code: number, reason: string) => this.#close(code, reason),
      topics: new Map<string, number>() as Subscriber['topics'],
      note(topics: Subscriber['topics']) {
        transport.topics = topics;
      },
      sendEvents: (message: Message) => {
        if (isExpired(caller)) this.#session!.end(CLOSE_EXPIRED, expiredError());
        else this.#send(message);
      },
    };
    try {
      if (isExpired(caller)) throw expiredError();
      const { session, ended } = open(transport, caller);
      this.#session = session;
      this.#ended = ended;
      // The application may have ended it as soon as it was told of it.
      if (this.#over !== undefined) ended?.();
    } catch (error) {
      const reason = errorOf(error, 'target()');
      this.#close(reason.code === 'EXPIRED' ? CLOSE_EXPIRED : CLOSE_REFUSED, closeReason(reason));
    }
  }

  /** The close code and reason, once this side has ended the connection. */
  get over(): NumberedClose | undefined {
    return this.#over;
  }

  get end(): Promise<NumberedClose> {
    return this.#end.promise;
  }

  /** Runs a message, and returns the answers that are ready afterwards. */
  run(message: Message): NumberedList {
    const ready: NumberedList = [this.#sent];
    this.#ready = ready;
    this.#session?.receive(message);
    this.#ready = undefined;
    return ready;
  }

  send(message: Message): NumberedMessages | Promise<NumberedMessages> {
    const ready = this.run(message);
    const idle = this.#session?.idle;
    if (ready.length > 1 || idle === undefined) return shortened(ready);
    // Calls that were given up are not answered.
    idle.then(() => this.#answerWaiting());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #answerWaiting(): void {
    for (const resolve of this.#waiting.splice(0)) resolve([this.#sent]);
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
  }

  #close(code: number, reason: string): void {
    if (this.#over !== undefined) return;
    this.#over = [this.#sent, code, reason];
    this.#end.resolve(this.#over);
    this.#answerWaiting();
    this.#ended?.();
  }

  #send(message: Message): void {
    const number = this.#sent++;
    if (this.#ready !== undefined) this.#ready.push(message);
    else if (this.#released) return;
    else if (this.#waiting.length > 0) this.#waiting.shift()!(shortened([number, message]));
    // If that fails the client is gone, and its calls settle on its side.
    else Promise.resolve(this.#receive(shortened([number, message]))).catch(() => {});
  }
}

/** Returns messages in the form that the platform passes quickest. */
function shortened(messages: NumberedList): NumberedMessages {
  const message = messages[1];
  return messages.length === 2 && typeof message === 'string' ? `${messages[0]} ${message}` : messages;
}
