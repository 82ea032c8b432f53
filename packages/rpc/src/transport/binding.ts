import { CLOSE_ABNORMAL, CLOSE_REFUSED, errorOfClose } from '../closes.ts';
import { RpcError } from '../errors.ts';
import type { Message } from '../types/message.ts';
import type { NativeConnection, NativeServer, NumberedClose, NumberedMessages, OpenedConnection } from './native.ts';
import type { OpenTransport } from './transport.ts';

/** The platform's stub of an object that a call returns. Its members can be used before the object has arrived. */
type Native<T> = {
  [Key in keyof T]: T[Key] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : Native<T[Key]>;
} & Disposable;

type Opening = Native<OpenedConnection> & PromiseLike<OpenedConnection & Disposable>;

/**
 * Errors of the platform for calls that have not run: through an object of an earlier request, and to an object that is
 * gone. A call that was running then has another error.
 */
const NOT_RUN = /different request|is no longer running/;

/** How to connect through a binding. */
export interface BindingOptions {
  /** Returns the platform's stub. */
  readonly server: () => NativeServer;
  /** The advice to add to the error if the connection is lost twice in a row. */
  readonly stale: string;
  /** The identity of the caller, as a message of the codec. */
  readonly identity: Message;
  readonly expiresAt?: number | undefined;
  /** Called with a message whose calls have not run, and the reason. */
  readonly unsent: (message: Message, why: RpcError) => void;
}

/**
 * Carries messages over the platform's own RPC. A message is one native call, whose answer is usually the answers to
 * its calls. The first call also opens the connection. But after a loss, the connection is opened first, so that no
 * call is in doubt if that fails.
 */
export function bindingTransport({ server, stale, identity, expiresAt, unsent }: BindingOptions): OpenTransport {
  let wasLost = false;
  return (events) => {
    let opening: Opening | undefined;
    let opened: Native<OpenedConnection> | undefined;
    /**
     * The destination of calls. Until everything sent through the promise of the connection is answered, calls go
     * through that promise, so that all keep their order.
     */
    let connection: Native<NativeConnection> | undefined;
    let sending = 0;
    /** Messages that arrived before their turn, by their number. */
    const early = new Map<number, Message>();
    let received = 0;
    let closed: NumberedClose | undefined;
    let isWatched = false;
    let isOver = false;

    const end = (code: number, reason: string) => {
      if (isOver) return;
      isOver = true;
      early.clear();
      const release = () => {
        opening?.[Symbol.dispose]();
        opened?.[Symbol.dispose]();
      };
      // If closing fails, the server is already gone.
      if (isWatched) connection!.close().then(release, release);
      else release();
      events.closed(code, reason);
    };
    /** Ends the connection after a native call has failed, and with it those that came later. */
    const broken = (error: unknown, message?: Message, isUnsent = NOT_RUN.test(String(error))) => {
      if (isOver) return;
      let why = new RpcError('NOT_EXECUTED', `${error}${wasLost ? stale : ''}`);
      const isRefused = why.message.includes('openRpcConnection');
      if (isRefused) {
        const hint = 'the binding leads to no class that extends RpcObject or RpcEntrypoint';
        why = new RpcError('NOT_FOUND', `${hint} (${error})`);
      }
      if (message !== undefined && (isUnsent || isRefused)) unsent(message, why);
      wasLost = true;
      end(CLOSE_ABNORMAL, `${why.code}: ${why.message}`);
    };
    /** Passes on the messages whose turn has come. */
    const take = (numbered: NumberedMessages) => {
      if (typeof numbered === 'string') {
        const space = numbered.indexOf(' ');
        arrived(Number(numbered.slice(0, space)), numbered.slice(space + 1));
      } else {
        const [first, ...messages] = numbered;
        for (const [at, message] of messages.entries()) arrived(first + at, message);
      }
      if (closed !== undefined && closed[0] === received) end(closed[1], closed[2]);
    };
    const arrived = (number: number, message: Message) => {
      early.set(number, message);
      for (let next = early.get(received); next !== undefined && !isOver; next = early.get(received)) {
        early.delete(received++);
        events.received(next);
      }
    };
    /** Waits for the end of the connection, which must be noticed even while no call waits for an answer. */
    const watch = () => {
      if (isOver) return;
      isWatched = true;
      opened!.ended().then(
        (close) => {
          closed = close;
          take([received]);
        },
        (error) => broken(error),
      );
    };
    /**
     * Takes what the server sends at any time. A program that had an answer before it has the connection might end, and
     * would leave one behind that nobody ends.
     */
    const receive = (numbered: NumberedMessages) => {
      if (opened !== undefined) take(numbered);
      else
        opening!.then(
          () => take(numbered),
          () => {},
        );
    };
    const open = (message?: Message) => {
      opening = server().openRpcConnection(receive, identity, message, expiresAt) as unknown as Opening;
      connection = opening.connection;
      opening.then(
        (arrived) => {
          opened = arrived as unknown as Native<OpenedConnection>;
          if (isOver) return arrived[Symbol.dispose]();
          wasLost = false;
          if (message === undefined) events.opened();
          closed = arrived.close;
          // Where there is no target, nothing has run.
          if (closed !== undefined && closed[1] >= CLOSE_REFUSED && message !== undefined) {
            unsent(message, errorOfClose(closed[2])!);
          }
          take(arrived.messages);
          // Later, because a connection of a single call is closed by then, and has cost only one native call.
          setTimeout(watch);
        },
        (error) => broken(error, message),
      );
    };
    const send = (message: Message) => {
      if (connection === undefined) return open(message);
      // A call on the connection itself takes half the time of a call through its promise.
      if (sending === 0 && opened !== undefined) connection = opened.connection;
      sending++;
      connection.send(message).then(
        (messages) => {
          sending--;
          take(messages);
        },
        (error) => broken(error, message),
      );
    };
    /** Runs a job that uses the platform's stub. If it throws, nothing was sent. */
    const attempt = (job: () => void, message?: Message) => {
      try {
        job();
      } catch (error) {
        // Later, because the client is still sending.
        queueMicrotask(() => broken(error, message, true));
      }
    };

    if (wasLost) attempt(open);
    else queueMicrotask(events.opened);
    return {
      send(message) {
        if (!isOver) attempt(() => send(message), message);
      },
      close: (code, reason) => queueMicrotask(() => end(code, reason)),
    };
  };
}
