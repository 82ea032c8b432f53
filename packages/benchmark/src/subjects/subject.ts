/** The subjects of the comparison; `raw-one-frame` is `raw` with all calls of a turn in one frame, the floor of a burst. */
export type SubjectName = 'lumenize' | 'lumenize-accept' | 'capnweb' | 'raw' | 'raw-accept' | 'raw-one-frame';

/** One client's connection to one counter object. */
export interface Connection {
  increment(): PromiseLike<number>;
  getValue(): PromiseLike<number>;
  reset(): PromiseLike<unknown>;
  /** Starts `n` increments within one turn of the event loop and resolves with their results, in order. */
  incrementInOneTurn(n: number): Promise<readonly number[]>;
  /** Closes the socket, without waiting for the other side. */
  close(): void;
}

/** A way to call the counter. Every subject opens the platform's own WebSocket, looked up when it connects. */
export interface Subject {
  readonly name: SubjectName;
  /** Connects to the object called `instance` behind `baseUrl` (`http://…`). */
  connect(baseUrl: string, instance: string): Connection | Promise<Connection>;
}
