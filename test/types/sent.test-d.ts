import type { Remote, Sent, Stub } from '@lumenize/rpc';
import { RpcTarget } from '@lumenize/rpc/server';
import { expectTypeOf, test } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: what becomes of it is to be tested
type Untyped = any;

interface User {
  id: number;
  name: string;
  manager?: User;
}

type Shape = { kind: 'circle'; radius: number } | { kind: 'square'; side: number; label?: string };

class Member extends RpcTarget {
  #id = 1;
  id(): number {
    return this.#id;
  }
}

class Admin extends Member {
  ban(): void {}
}

class Screen extends RpcTarget {
  show(_from: Member, _text: string): boolean {
    return true;
  }
}

interface Api {
  one(): number;
  text(): string;
  user(): User;
  maybeUser(): User | undefined;
  member(): Member;
  admin(): Admin;
  add(by?: number): number;
  save(user: User): void;
  draw(shape: Shape): void;
  list(items: string[], matrix: number[][]): void;
  pair(pair: [string, number]): void;
  begun(names: [string, ...string[]], mixed: readonly [string, User, ...number[]]): void;
  map(map: Map<string, User>, set: Set<number>): void;
  join(member: Member): void;
  watch(listener: (count: number, by: Member) => void): void;
  ask(question: (user: User) => Promise<string>): void;
  compute(steps: { first: (n: number) => number; then?: () => void }): number;
  attach(screen: Screen): void;
  hold(listener: Stub<(count: number) => string>): void;
  upload(stream: ReadableStream<Uint8Array>, signal: AbortSignal): void;
  feed(items: AsyncIterable<User>, ready: Promise<number>): void;
  any(value: Untyped): void;
  json(value: { [key: string]: unknown }): void;
}

const api = {} as Stub<Api>;

test('a result stands for its value, anywhere inside', () => {
  api.add(api.one());
  api.save(api.user());
  api.save({ id: api.one(), name: api.user().name, manager: api.user() });
  api.list([api.text(), 'x'], [[1, api.one()]]);
  api.pair([api.text(), api.one()]);
  api.map(new Map([['x', api.user()]]), new Set([api.one(), 2]));
  // @ts-expect-error a text is no number
  api.add(api.text());
  // @ts-expect-error there may be no user
  api.save(api.maybeUser());
  // @ts-expect-error a text is no number, inside either
  api.save({ id: api.text(), name: '' });
  // @ts-expect-error there is no such property
  api.save({ id: 1, name: '', nickname: '' });
  // @ts-expect-error the tuple is of two
  api.pair(['x']);
});

test('a list needs the items that it has to begin with', () => {
  const rest: string[] = ['Grace'];
  const user = { id: 1, name: 'Ada' };
  api.begun(['Ada', ...rest], ['a', user, 1, 2]);
  api.begun([api.text(), api.text()], [api.text(), api.user(), api.one()]);
  // @ts-expect-error there is no name
  api.begun([], ['a', user]);
  // @ts-expect-error there may be no name
  api.begun(rest, ['a', user]);
  // @ts-expect-error a user comes second
  api.begun(['Ada'], ['a', 1]);
  // @ts-expect-error only numbers follow, names and users do not
  api.begun(['Ada'], ['a', user, true]);
});

test('a part of a union can be sent', () => {
  api.draw({ kind: 'circle', radius: api.one() });
  api.draw({ kind: 'square', side: 1, label: 'x' });
  // @ts-expect-error a circle has no side
  api.draw({ kind: 'circle', side: 1 });
});

test('readonly collections can be sent, since they are copied', () => {
  const names: readonly string[] = [];
  const users: ReadonlyMap<string, User> = new Map();
  api.list(names, []);
  api.map(users, new Set<number>() as ReadonlySet<number>);
  api.pair(['x', 1] as const);
});

test('a target stands for itself, and so does its stub', async () => {
  api.join(new Member());
  api.join(api.member());
  api.join(await api.member());
  api.join(api.admin());
  // @ts-expect-error a user is no member
  api.join(api.user());
});

test('a callback is a plain function of what arrives', async () => {
  api.watch((count, by) => {
    expectTypeOf(count).toEqualTypeOf<number>();
    expectTypeOf(by).toEqualTypeOf<Stub<Member>>();
  });
  const counts: number[] = [];
  api.watch((count) => counts.push(count));
  api.watch(async () => {});
  api.ask((user) => user.name);
  api.ask(async (user) => user.name);
  api.ask(() => api.text());
  api.compute({ first: (n) => n + 1 });
  api.compute({ first: async (n) => n + 1, then: () => {} });
  // @ts-expect-error a text is asked for
  api.ask(() => 5);
  // @ts-expect-error nothing gives it a text
  api.watch((count: string) => count);
});

test("a page's target gets what arrives", () => {
  class PageScreen extends RpcTarget {
    show(from: Stub<Member>, text: string): boolean {
      expectTypeOf(from.id()).resolves.toEqualTypeOf<number>();
      return text !== '';
    }
  }
  class Wrong extends RpcTarget {
    show(from: number): boolean {
      return from > 0;
    }
  }
  api.attach(new PageScreen());
  api.attach(new Screen());
  // @ts-expect-error a member is no number
  api.attach(new Wrong());
  // @ts-expect-error it does not extend RpcTarget
  api.attach({ show: () => true });
});

test('what a method takes as a stub is sent as itself', () => {
  api.hold((count) => `${count + 1}`);
  // @ts-expect-error a text is asked for
  api.hold((count) => count);
});

test('streams, signals, iterables and promises can be sent', () => {
  const items = async function* () {
    yield { id: 1, name: api.text() };
  };
  api.upload(new ReadableStream<Uint8Array>(), AbortSignal.timeout(5));
  api.feed(items(), Promise.resolve(5));
  api.feed(items(), api.one());
});

test('anything can be sent where anything is taken', () => {
  api.any({ deep: [api.one()] });
  api.json({ deep: api.one() });
  expectTypeOf<Sent<Untyped>>().toBeAny();
  expectTypeOf<Sent<unknown>>().toBeUnknown();
  expectTypeOf<Sent<number>>().toEqualTypeOf<number | Remote<number>>();
});

test('a result that is declared as a stub, or holds some, is sent as what they stand for', async () => {
  class Lender extends RpcTarget {
    declare lend: () => Stub<Member>;
    declare lendLater: () => Promise<Stub<Member>>;
    declare perhaps: () => Stub<Member> | undefined;
    declare list: () => Stub<Member>[];
    declare pair: () => [Stub<Member>, number];
    declare byName: () => Map<string, Stub<Member>>;
    declare all: () => Set<Stub<Member>>;
    declare held: () => { member: Stub<Member>; since: number };
    declare listener: () => Stub<(from: Member) => number>;
    declare screen: () => Stub<Screen>;
    get chair(): Stub<Member> {
      return {} as Stub<Member>;
    }
    join(_member: Member): void {}
    joinPerhaps(_member?: Member): void {}
    keep(_member: Stub<Member>): void {}
    joinAll(_members: Member[], _byName: Map<string, Member>, _all: Set<Member>, _pair: [Member, number]): void {}
    seat(_seats: { member: Member; others?: { member: Member }[] }): void {}
    watch(_listener: (from: Member) => number): void {}
    count(_count: number): void {}
  }
  const lender = {} as Stub<Lender>;
  lender.join(lender.lend());
  lender.join(lender.lendLater());
  lender.join(lender.chair);
  lender.join(lender.held().member);
  lender.join(lender.list()[0]);
  lender.join(lender.pair()[0]);
  lender.join(await lender.lend());
  lender.keep(lender.lend());
  lender.joinPerhaps(lender.perhaps());
  lender.joinPerhaps(lender.list()[0]);
  lender.joinAll(lender.list(), lender.byName(), lender.all(), lender.pair());
  lender.joinAll([lender.lend()], new Map([['x', lender.chair]]), new Set([lender.lend()]), [lender.lend(), 1]);
  lender.joinAll(
    lender.list().map((member) => member),
    lender.byName(),
    lender.all(),
    lender.pair(),
  );
  lender.seat(lender.held());
  lender.seat({ member: lender.lend(), others: [lender.held(), { member: lender.chair }] });
  lender.watch(lender.listener());
  lender.list().map((member) => lender.join(member));
  lender.byName().map((member) => ({ joined: lender.join(member), id: member.id() }));
  // @ts-expect-error a screen is no member
  lender.join(lender.screen());
  // @ts-expect-error nor is it inside of anything
  lender.seat({ member: lender.screen() });
  // @ts-expect-error there may be none
  lender.join(lender.perhaps());
  // @ts-expect-error a Map is no list
  lender.joinAll(lender.byName(), new Map(), new Set(), lender.pair());
  // @ts-expect-error a member is no number
  lender.count(lender.lend());
});

test('generic code sends what it is given', () => {
  class Queue<T> extends RpcTarget {
    put(_item: T, _by?: string): void {}
    maybe(_item?: T, _other?: T | null): void {}
    putAll(_items: readonly T[], _byName: Map<string, T>): void {}
    box(_box: { item: T; more?: T[] }): void {}
    each(_callback: (item: T) => void): void {}
  }
  function put<T>(queue: Stub<Queue<T>>, item: T, items: T[]): void {
    queue.put(item, 'x');
    queue.maybe(item, null);
    queue.putAll(items, new Map([['x', item]]));
    queue.box({ item, more: items });
    queue.each(() => {});
    // @ts-expect-error a number need not be of that type
    queue.put(5);
    // @ts-expect-error nor need an object
    queue.box({ item: {} });
  }
  function putNamed<T extends User>(queue: Stub<Queue<T>>, user: T): Sent<T> {
    queue.put(user);
    // @ts-expect-error there may be more to it than to a user
    queue.put({ id: 1, name: '' });
    return user;
  }
  put({} as Stub<Queue<User>>, { id: 1, name: '' }, []);
  putNamed({} as Stub<Queue<User>>, { id: 1, name: '' });
});
