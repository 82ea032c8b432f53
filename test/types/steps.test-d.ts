import type { Stub } from '@lumenize/rpc';
import { RpcTarget } from '@lumenize/rpc/server';
import { expectTypeOf, test } from 'vitest';

interface User {
  id: number;
  name: string;
  active: boolean;
}

class Room extends RpcTarget {
  get title(): string {
    return '';
  }
  users(): User[] {
    return [];
  }
  rename(_title: string): Date {
    return new Date();
  }
}

interface Api {
  room(): Room;
  rooms(): Room[];
  users(): readonly User[];
  maybeUsers(): Promise<User[] | undefined>;
  pair(): [User, string];
  grid(): { rows: number[][] };
  byName(): Map<string, User>;
  frozenByName(): ReadonlyMap<string, Room>;
  ids(): Set<number>;
  feed(): AsyncGenerator<User>;
  greet(name: string): string;
  same(id: number): boolean;
}

const api = {} as Stub<Api>;

test('a chain of any length is typed', () => {
  expectTypeOf(api.room().users()[0].name).resolves.toEqualTypeOf<string>();
  expectTypeOf(api.greet(api.room().users()[0].name)).resolves.toEqualTypeOf<string>();
  expectTypeOf(api.grid().rows[1][2]).resolves.toEqualTypeOf<number>();
  expectTypeOf(api.maybeUsers()[0].id).resolves.toEqualTypeOf<number>();
});

test('tuples know their places', () => {
  expectTypeOf(api.pair()[0].name).resolves.toEqualTypeOf<string>();
  expectTypeOf(api.pair()[1]).resolves.toEqualTypeOf<string>();
  // @ts-expect-error there is no third
  api.pair()[2];
});

test('collections can be read where they are', () => {
  expectTypeOf(api.users().length).resolves.toEqualTypeOf<number>();
  expectTypeOf(api.users()[0].name).resolves.toEqualTypeOf<string>();
  expectTypeOf(api.byName().size).resolves.toEqualTypeOf<number>();
  // @ts-expect-error methods of a list cannot be called before it arrives
  api.users().slice(1);
  // @ts-expect-error nor those of a Map
  api.byName().get('x');
});

test('map records what is done with each item', () => {
  expectTypeOf(api.users().map((user) => user.name)).resolves.toEqualTypeOf<string[]>();
  expectTypeOf(api.users().map((user) => api.greet(user.name))).resolves.toEqualTypeOf<string[]>();
  expectTypeOf(api.rooms().map((room) => room.users())).resolves.toEqualTypeOf<User[][]>();
  expectTypeOf(api.rooms().map((room) => room)).resolves.toEqualTypeOf<Stub<Room>[]>();
  expectTypeOf(api.rooms().map((room) => room.users().map((user) => user.id))).resolves.toEqualTypeOf<number[][]>();
  expectTypeOf(api.maybeUsers().map(({ id }) => id)).resolves.toEqualTypeOf<number[]>();
  expectTypeOf(
    api.rooms().map((room) => ({ title: room.title, users: room.users(), tag: 'x', pair: [room.title, 5] })),
  ).resolves.toEqualTypeOf<{ title: string; users: User[]; tag: 'x'; pair: [string, 5] }[]>();
  expectTypeOf(api.users().map((user) => user.name)[0]).resolves.toEqualTypeOf<string>();
  expectTypeOf(api.rooms().map((room) => room.rename('x')).length).resolves.toEqualTypeOf<number>();
});

test('map over Maps and iterables keeps what they are', async () => {
  expectTypeOf(api.byName().map((user) => user.id)).resolves.toEqualTypeOf<Map<string, number>>();
  expectTypeOf(api.byName().map((_user, name) => api.greet(name))).resolves.toEqualTypeOf<Map<string, string>>();
  expectTypeOf(api.frozenByName().map((room) => room.title)).resolves.toEqualTypeOf<Map<string, string>>();
  expectTypeOf(api.feed().map((user) => user.name)).resolves.toEqualTypeOf<AsyncIterable<string>>();
});

test('with settle each item comes with its outcome', async () => {
  const settled = await api.users().map((user) => api.greet(user.name), { settle: true });
  expectTypeOf(settled).toEqualTypeOf<PromiseSettledResult<string>[]>();
  for (const item of settled) {
    if (item.status === 'fulfilled') expectTypeOf(item.value).toEqualTypeOf<string>();
    else expectTypeOf(item.reason).toBeAny();
  }
  expectTypeOf(api.byName().map((user) => user.id, { settle: true })).resolves.toEqualTypeOf<
    Map<string, PromiseSettledResult<number>>
  >();
});

test('filter keeps what the items are', () => {
  expectTypeOf(api.users().filter((user) => user.active)).resolves.toEqualTypeOf<User[]>();
  expectTypeOf(api.rooms().filter((room) => room.title)).resolves.toEqualTypeOf<Stub<Room>[]>();
  expectTypeOf(api.byName().filter((user, _name) => user.active)).resolves.toEqualTypeOf<Map<string, User>>();
  expectTypeOf(api.feed().filter((user) => api.same(user.id))).resolves.toEqualTypeOf<AsyncIterable<User>>();
  expectTypeOf(
    api
      .users()
      .filter((user) => user.active)
      .map((user) => user.name),
  ).resolves.toEqualTypeOf<string[]>();
});

test('a recorded callback that decides or waits is found', () => {
  // @ts-expect-error it cannot wait: it is recorded before there is anything to wait for
  api.users().map(async (user) => user.name);
  // @ts-expect-error nor can it compare
  api.users().filter((user) => user.id > 3);
  // @ts-expect-error a promise is always true
  api.users().map((user) => (user.active ? 1 : 2));
});

test('what is no collection has no map', () => {
  // @ts-expect-error a room is no list
  api.room().map(() => 1);
  // @ts-expect-error nor is a text, whatever it has
  api.greet('x').length;
});
