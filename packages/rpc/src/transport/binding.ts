import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_ABNORMAL, CLOSE_REFUSED } from '../protocol/errors.ts';
import type { Message } from '../protocol/message.ts';
import { answerUnsent } from '../protocol/result-frame.ts';
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

/**
 * Carries frames over the platform's own RPC. A frame is one native call, whose answer is usually the result frame. The
 * first call also opens the connection. But after a loss, the connection is opened first, so that no call is in doubt
 * if that fails. `server` returns the platform's stub. `stale` is what to add to the error if that fails, too.
 */
export function bindingTransport(
  server: () => NativeServer,
  stale: string,
  identity: string,
  expiresAt?: number,
): OpenTransport {
  let wasLost = false;
  return (events) => {
    const native = server();
    let opening: Opening | undefined;
    let opened: Native<OpenedConnection> | undefined;
    /**
     * The destination of calls. Until everything sent through the promise of the connection is answered, calls go
     * through that promise, so that all keep their order.
     */
    let connection: Native<NativeConnection> | undefined;
    let sending = 0;
    /** Frames that arrived before their turn, by their number. */
    const early = new Map<number, Message>();
    let received = 0;
    let closed: NumberedClose | undefined;
    let isWatched = false;
    let hasEnded = false;

    const end = (code: number, reason: string) => {
      if (hasEnded) return;
      hasEnded = true;
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
    /** Ends the connection after a native call has failed. `frame` is the frame that the call carried. */
    const broken = (error: unknown, frame?: Message) => {
      if (hasEnded) return;
      const text = String(error);
      if (text.includes('openRpcConnection')) {
        const hint = 'the binding leads to no class that extends RpcObject or RpcEntrypoint';
        return end(CLOSE_REFUSED, `NOT_FOUND: ${hint} (${text})`);
      }
      const isUnsent = frame !== undefined && NOT_RUN.test(text);
      const answer = isUnsent && answerUnsent(frame, 0, new RpcError('NOT_EXECUTED', text));
      if (answer) events.received(answer);
      const advice = wasLost ? stale : '';
      wasLost = true;
      end(CLOSE_ABNORMAL, `NOT_EXECUTED: ${text}${advice}`);
    };
    /** Passes on the frames whose turn has come. */
    const take = (numbered: NumberedFrames) => {
      if (typeof numbered === 'string') {
        const end = numbered.indexOf(' ');
        arrived(Number(numbered.slice(0, end)), numbered.slice(end + 1));
      } else {
        const [first, ...frames] = numbered;
        for (const [index, frame] of frames.entries()) arrived(first + index, frame);
      }
      if (closed !== undefined && closed[0] === received) end(closed[1], closed[2]);
    };
    const arrived = (number: number, frame: Message) => {
      if (number !== received) return void early.set(number, frame);
      for (let next: Message | undefined = frame; next !== undefined && !hasEnded; next = early.get(received)) {
        if (early.size > 0) early.delete(received);
        received++;
        events.received(next);
      }
    };
    /** Waits for the end of the connection, which must be noticed even while no call waits for an answer. */
    const watch = () => {
      if (hasEnded) return;
      isWatched = true;
      connection!.ended().then((close) => {
        closed = close;
        take([received]);
      }, broken);
    };
    const open = (frame?: Message) => {
      opening = native.openRpcConnection(take, identity, frame, expiresAt) as unknown as Opening;
      connection = opening.connection;
      opening.then(
        (arrived) => {
          opened = arrived as unknown as Native<OpenedConnection>;
          if (hasEnded) return arrived[Symbol.dispose]();
          wasLost = false;
          if (frame === undefined) events.opened();
          closed = arrived.close;
          take(arrived.frames);
          // Later, because a connection of a single call is closed by then, and has cost only one native call.
          setTimeout(watch);
        },
        (error) => broken(error, frame),
      );
    };
    const send = (frame: Message) => {
      if (connection === undefined) return open(frame);
      // A call on the connection itself takes half the time of a call through its promise.
      if (sending === 0 && opened !== undefined) connection = opened.connection;
      sending++;
      connection.send(frame).then(
        (frames) => {
          sending--;
          take(frames);
        },
        (error) => broken(error, frame),
      );
    };

    if (wasLost) open();
    else queueMicrotask(events.opened);
    return {
      send(frame) {
        if (hasEnded) return;
        try {
          send(frame);
        } catch (error) {
          // Later, because the session is still sending.
          queueMicrotask(() => broken(error, frame));
        }
      },
      close: (code, reason) => queueMicrotask(() => end(code, reason)),
    };
  };
}

/**
 * Frames from the server, with the number of the first one: the platform may deliver an answer before frames that were
 * sent earlier. A single frame of text is a text, its number first, since the platform passes lists at several times
 * the cost.
 */
export type NumberedFrames = `${number} ${string}` | NumberedList;

/** Any number of frames, after the number of the first one. */
export type NumberedList = [first: number, ...frames: Message[]];

/** The end of a connection, with the number of frames that came before it. */
export type NumberedClose = [frames: number, code: number, reason: string];

/**
 * The server's end of a connection over the platform's own RPC. The object stays on the server for as long as the
 * client holds it.
 */
export interface NativeConnection {
  /** Runs a call frame. Resolves to the result frames that are ready by then; later ones are passed to `receive`. */
  send(frame: Message): NumberedFrames | Promise<NumberedFrames>;
  /** Resolves when the server ends the connection, and rejects when the platform loses it. */
  ended(): Promise<NumberedClose>;
  /** Ends the connection. Releasing this object does not end it while `ended` is waiting. */
  close(): void;
}

/** The answer to opening a connection, with the result frames of the first frame that were ready at once. */
export interface OpenedConnection {
  connection: NativeConnection;
  frames: NumberedFrames;
  /** Set if the connection was refused. */
  close?: NumberedClose | undefined;
}

/** Takes frames that no `send` waits for. */
export type ReceiveNative = (frames: NumberedFrames) => void | Promise<void>;

/** A Durable Object, or a Worker behind a service binding, that clients can connect to. */
export interface NativeServer {
  /**
   * Opens a connection and runs its first frame, if there is one, in one native call. `identity` is in the text form of the codec, so
   * that it may be any value that can be cloned. `expiresAt` is the time at which the identity expires, in milliseconds
   * since 1970.
   */
  openRpcConnection(
    receive: ReceiveNative,
    identity: string,
    frame: Message | undefined,
    expiresAt?: number,
  ): OpenedConnection | Promise<OpenedConnection>;
}
