/** Frames from the server, with the number of the first: the platform may deliver an answer before what was sent earlier. */
export type NumberedFrames = [first: number, ...frames: Uint8Array[]];

/** How a connection ended, with the number of frames that came before. */
export type NumberedClose = [frames: number, code: number, reason: string];

/** The server's end of a connection over the platform's own RPC: an object that stays there while the client holds it. */
export interface NativeConnection {
  /** Runs a call frame. Resolves to the result frames that are ready then; later ones are given to `receive`. */
  send(frame: Uint8Array): NumberedFrames | Promise<NumberedFrames>;
  /** Resolves when the server ends the connection, and rejects when the platform loses it. */
  ended(): Promise<NumberedClose>;
  /** Ends the connection: to release this object alone would not, as long as `ended` is waiting. */
  close(): void;
}

/** The answer to opening a connection: what became of the first frame, as far as that was ready at once. */
export interface OpenedConnection {
  connection: NativeConnection;
  frames: NumberedFrames;
  /** Set where the connection was refused. */
  close?: NumberedClose | undefined;
}

/** Takes frames for which no `send` is waiting. */
export type ReceiveNative = (...frames: NumberedFrames) => void | Promise<void>;

/** What a Durable Object, or a Worker behind a service binding, has so that others can connect to it. */
export interface NativeServer {
  /**
   * Opens a connection and runs its first frame: one native call for both. `identity` is in the text form of the codec,
   * so that it may be any value that can be cloned; `expiresAt` says until when it is to be believed, in milliseconds
   * since 1970.
   */
  openRpcConnection(
    receive: ReceiveNative,
    identity: string,
    frame: Uint8Array,
    expiresAt?: number,
  ): OpenedConnection | Promise<OpenedConnection>;
}
