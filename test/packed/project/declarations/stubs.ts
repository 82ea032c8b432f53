// Compiled with `declaration: true`, also with each other function that connects in place of this one: compilers have to find a
// name for whatever a project exports without a type of its own.
import { connect, type Stub } from '@lumenize/rpc';

interface Item {
  id: number;
}

interface Api {
  self(): this;
  get<T>(key: string): T;
  all<T>(key: string): T[];
  echo<T>(value: T): T;
  pick<Key extends 'a' | 'b'>(key: Key): { a: 1; b: 2 }[Key];
  find(name: string): string;
  find(id: number): number;
  save(item: Item): Promise<Item>;
  items(): Item[];
  pair(): [Item, () => void];
  byId(): Map<number, Item>;
  tags(): Set<string>;
  count(): AsyncIterable<Item>;
  callback(): (by: number) => number;
  held(): { stub: Stub<Api>; listener?: () => void };
  readonly last: Item | undefined;
}

interface Queue<T> {
  readonly first: T;
  readonly list: T[];
  readonly byName: Map<string, T>;
  put(item: T): void;
  take(): T;
  map: (item: T) => T;
  each(): AsyncIterable<T>;
}

export const api = connect<Api>('wss://example.com/rpc/x/main');
export const methods = [api.self, api.get, api.all, api.echo, api.pick, api.find, api.save, api.held] as const;
export const results = [api.self(), api.self().self(), api.get<Item>('x'), api.echo({ deep: api.items() })] as const;
export const steps = [
  api.items().map,
  api.items().filter,
  api.items()[0],
  api.pair()[1],
  api.byId().map,
  api.count().map,
  api.callback(),
  api.held().stub.items(),
  api.last,
] as const;
export const mapped = api.items().map((item) => ({ item, self: api.self(), saved: api.save(item), kept: [item.id] }));
export const settled = api.byId().map((item) => api.echo(item), { settle: true });
export const extended = [
  api.items() as ReturnType<typeof api.items> & { extra: 1 },
  api as typeof api & { extra: 1 },
] as const;
export type Argument = Exclude<Parameters<typeof api.save>[0], string>;
export const argument = {} as Argument;
export const shop = { api, list: () => api.items().map((item) => api.save(item)) };

export async function read() {
  return { self: await api.self(), pair: await api.pair(), held: await api.held(), items: await api.items() };
}

export function generic<T>(queue: Stub<Queue<T>>, item: T) {
  return [queue.first, queue.list, queue.put(item), queue.take(), queue.map, queue.each()] as const;
}

export async function genericRead<T>(queue: Stub<Queue<T>>) {
  return [await queue.first, await queue.take(), await queue.list] as const;
}

export class Client<T> {
  readonly #queue: Stub<Queue<T>>;
  constructor(queue: Stub<Queue<T>>) {
    this.#queue = queue;
  }
  echo<V>(value: V) {
    return api.echo(value);
  }
  get<V>() {
    return api.get<V>('x');
  }
  first = () => this.#queue.first;
  items = (count: number) => this.#queue.list.map((item) => ({ item, count, self: api.self() }));
}
