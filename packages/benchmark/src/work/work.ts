/** The part in use of an object's storage; a thread has a Map of its own in its place. */
export interface KeyValues {
  get(key: string): number | undefined;
  put(key: string, value: number): void;
  delete(key: string): unknown;
}

/** A promise of a list that can be mapped where the list is. */
export interface RemoteList extends PromiseLike<number[]> {
  map<Result>(callback: (item: number) => PromiseLike<Result>): PromiseLike<Result[]>;
}

/** What every subject of the families *pipeline* and *transports* serves, as their clients see it. */
export interface Work {
  increment(by?: number): PromiseLike<number>;
  getValue(): PromiseLike<number>;
  reset(): PromiseLike<unknown>;
  /** Returns its argument. */
  echo<Value>(value: Value): PromiseLike<Value>;
  /** Two targets and a text behind them: a chain of three steps. */
  owner(): { profile(): { readonly name: PromiseLike<string> } };
  /** Takes a text, or the result of another call that has not arrived yet. */
  greet(name: string | PromiseLike<string>): PromiseLike<string>;
  /** Returns the numbers from 1 to `count`. */
  numbers(count: number): RemoteList;
  square(number: number): PromiseLike<number>;
  /** Calls the function that the client passed, and returns what it returned. */
  callBack(callback: (value: number) => number, value: number): PromiseLike<number>;
  /** Returns a stream of `chunks` chunks of `bytes` bytes, each filled with its own number. */
  download(chunks: number, bytes: number): PromiseLike<ReadableStream<Uint8Array>>;
  /** Reads a stream to its end, checks it as `download` makes it, and returns the number of bytes. */
  upload(stream: ReadableStream<Uint8Array>): PromiseLike<number>;
}
