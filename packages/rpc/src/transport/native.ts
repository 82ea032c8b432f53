import type { Message } from '../types/message.ts';

// How messages travel over the platform's own RPC, as both sides know it.

/**
 * Messages from the server, with the number of the first one: the platform may deliver an answer before messages that
 * were sent earlier. A single text is a text, its number first, since the platform passes lists at several times the
 * cost.
 */
export type NumberedMessages = `${number} ${string}` | NumberedList;

/** Any number of messages, after the number of the first one. */
export type NumberedList = [first: number, ...messages: Message[]];

/** The end of a connection, with the number of messages that came before it. */
export type NumberedClose = [messages: number, code: number, reason: string];

/**
 * The server's end of a connection over the platform's own RPC. The object stays on the server for as long as the
 * client holds it.
 */
export interface NativeConnection {
  /** Handles a message. Resolves to the answers that are ready by then; later ones are passed to `receive`. */
  send(message: Message): NumberedMessages | Promise<NumberedMessages>;
  /** Ends the connection. Releasing this object does not end it while a call of it is waiting. */
  close(): void;
}

/** The answer to opening a connection, with the answers to the first message that were ready at once. */
export interface OpenedConnection {
  connection: NativeConnection;
  messages: NumberedMessages;
  /**
   * Resolves when the server ends the connection, and rejects when the platform loses it. It is no member of the
   * connection, which would not be released while this is waiting.
   */
  ended(): Promise<NumberedClose>;
  /** Set if the connection was refused. */
  close?: NumberedClose | undefined;
}

/** Takes messages that no `send` waits for. */
export type ReceiveNative = (messages: NumberedMessages) => void | Promise<void>;

/** A Durable Object, or a Worker behind a service binding, that clients can connect to. */
export interface NativeServer {
  /**
   * Opens a connection and handles its first message, if there is one, in one native call. `identity` is a message of
   * the codec, so that it may be any value that can be cloned. `expiresAt` is the time at which the identity expires, in
   * milliseconds since 1970.
   */
  openRpcConnection(
    receive: ReceiveNative,
    identity: Message,
    message: Message | undefined,
    expiresAt?: number,
  ): OpenedConnection | Promise<OpenedConnection>;
}
