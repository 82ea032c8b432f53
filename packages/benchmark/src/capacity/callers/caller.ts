/** A connection to one object of the family *capacity*. */
export interface Caller {
  noop(): PromiseLike<unknown>;
  insert(text: string): PromiseLike<number>;
  rows(): PromiseLike<number>;
  close(): void;
}

/** Connects to the object called `instance` behind `baseUrl` (`http://…`). */
export type Connect = (baseUrl: string, instance: string) => Caller | Promise<Caller>;
