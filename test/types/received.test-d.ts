import type { RemotePromise, Stub, TargetMark } from '@lumenize/rpc';
import { RpcTarget } from '@lumenize/rpc/server';
import { expectTypeOf, test } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: what becomes of it is to be tested
type Untyped = any;

interface User {
  readonly id: number;
  name: string;
  tags?: readonly string[];
}

class Member extends RpcTarget {
  #user: User = { id: 1, name: '' };
  get name(): string {
    return this.#user.name;
  }
  leave(): void {}
}

/** A service described by an interface alone. */
interface Auth {
  login(token: string): Promise<User>;
}

class Money {
  readonly amount: number = 0;
  #hidden = 1;
  plus(other: Money): Money {
    return this.#hidden > 0 ? other : this;
  }
}

/** As libraries declare `Temporal.PlainDate`. */
interface PlainDate {
  readonly [Symbol.toStringTag]: 'Temporal.PlainDate';
  readonly year: number;
  add(days: number): PlainDate;
}

declare module '@lumenize/rpc' {
  interface RegisteredClasses {
    money: Money;
  }
}

interface Api {
  user(): User;
  member(): Promise<Member>;
  maybe(): Member | undefined;
  auth(): Auth;
  listener(): (event: User) => number;
  subscription(): { id: number; since: Date; cancel(): void };
  members(): Member[];
  frozen(): readonly Member[];
  pair(): [User, Member];
  optionalPair(): [first: User, second?: Member];
  byName(): Map<string, Member>;
  frozenByName(): ReadonlyMap<string, Member>;
  all(): Set<Member>;
  nested(): { owner: { member: Member; users: User[] }; other?: Member };
  later(): { ready: Promise<Member>; count: Promise<number> };
  bytes(): ReadableStream<Uint8Array>;
  memberStream(): ReadableStream<Member>;
  sink(): WritableStream<string>;
  lines(): AsyncGenerator<string, void, undefined>;
  joins(): AsyncIterable<Member>;
  inside(): { lines: AsyncGenerator<string> };
  money(): Money;
  wallet(): { money: Money[] };
  today(): PlainDate;
  week(): { days: PlainDate[] };
  web(): { url: URL; headers: Headers; request: Request; response: Response; blob: Blob; file: File; form: FormData };
  native(): { date: Date; bytes: Uint8Array; buffer: ArrayBuffer; error: RangeError; pattern: RegExp };
  either(): User | Member | string;
  held(): Stub<Member>;
  relayed(): RemotePromise<Member>;
  contact(): { name: string; message: string };
  loose(): { data: Untyped; more: unknown };
}

const api = {} as Stub<Api>;

test('data stays what it is, by name', () => {
  expectTypeOf(api.user()).resolves.toEqualTypeOf<User>();
  expectTypeOf(api.native()).resolves.toEqualTypeOf<{
    date: Date;
    bytes: Uint8Array;
    buffer: ArrayBuffer;
    error: RangeError;
    pattern: RegExp;
  }>();
  expectTypeOf(api.loose()).resolves.toEqualTypeOf<{ data: Untyped; more: unknown }>();
});

test('classes of the web arrive whole', async () => {
  const web = await api.web();
  expectTypeOf(web.url).toEqualTypeOf<URL>();
  expectTypeOf(web.headers).toEqualTypeOf<Headers>();
  expectTypeOf(web.request).toEqualTypeOf<Request>();
  expectTypeOf(web.response).toEqualTypeOf<Response>();
  expectTypeOf(web.blob).toEqualTypeOf<Blob>();
  expectTypeOf(web.file).toEqualTypeOf<File>();
  expectTypeOf(web.form).toEqualTypeOf<FormData>();
});

test('registered classes arrive with their methods, which are not remote', async () => {
  expectTypeOf(api.money()).resolves.toEqualTypeOf<Money>();
  expectTypeOf(api.wallet()).resolves.toEqualTypeOf<{ money: Money[] }>();
  expectTypeOf((await api.money()).plus).returns.toEqualTypeOf<Money>();
});

test('dates and times of Temporal arrive with their methods, which are not remote', async () => {
  expectTypeOf(api.today()).resolves.toEqualTypeOf<PlainDate>();
  expectTypeOf(api.week()).resolves.toEqualTypeOf<{ days: PlainDate[] }>();
  expectTypeOf((await api.today()).add).returns.toEqualTypeOf<PlainDate>();
});

test('targets arrive as stubs, wherever they are', async () => {
  expectTypeOf(api.member()).resolves.toEqualTypeOf<Stub<Member>>();
  expectTypeOf(api.maybe()).resolves.toEqualTypeOf<Stub<Member> | undefined>();
  expectTypeOf(api.members()).resolves.toEqualTypeOf<Stub<Member>[]>();
  expectTypeOf(api.frozen()).resolves.toEqualTypeOf<readonly Stub<Member>[]>();
  expectTypeOf(api.pair()).resolves.toEqualTypeOf<[User, Stub<Member>]>();
  expectTypeOf(api.optionalPair()).resolves.toEqualTypeOf<[first: User, second?: Stub<Member>]>();
  expectTypeOf(api.byName()).resolves.toEqualTypeOf<Map<string, Stub<Member>>>();
  expectTypeOf(api.frozenByName()).resolves.toEqualTypeOf<ReadonlyMap<string, Stub<Member>>>();
  expectTypeOf(api.all()).resolves.toEqualTypeOf<Set<Stub<Member>>>();
  expectTypeOf(api.nested()).resolves.toEqualTypeOf<{
    owner: { member: Stub<Member>; users: User[] };
    other?: Stub<Member>;
  }>();
  using member = await api.member();
  expectTypeOf(member.name).resolves.toEqualTypeOf<string>();
  expectTypeOf(member.leave()).resolves.toBeVoid();
});

test('an interface of methods alone is a target, and one with data beside them is data', async () => {
  expectTypeOf(api.auth()).resolves.toEqualTypeOf<Stub<Auth>>();
  using auth = await api.auth();
  expectTypeOf(auth.login('x').name).resolves.toEqualTypeOf<string>();

  const subscription = await api.subscription();
  expectTypeOf(subscription.id).toEqualTypeOf<number>();
  expectTypeOf(subscription.since).toEqualTypeOf<Date>();
  expectTypeOf(subscription.cancel()).resolves.toBeVoid();
  subscription.cancel[Symbol.dispose]();
});

test('functions arrive as stubs that can be called', async () => {
  expectTypeOf(api.listener()).resolves.toEqualTypeOf<Stub<(event: User) => number>>();
  using listener = await api.listener();
  expectTypeOf(listener({ id: 1, name: '' })).resolves.toEqualTypeOf<number>();
  expectTypeOf(listener(api.user())).resolves.toEqualTypeOf<number>();
  // @ts-expect-error a number is no user
  listener(5);
});

test('data with a name and a message is no error', () => {
  expectTypeOf(api.contact().name).resolves.toEqualTypeOf<string>();
});

test('streams and generators stay, of what arrives, and promises are awaited', async () => {
  expectTypeOf(api.later()).resolves.toEqualTypeOf<{ ready: Stub<Member>; count: number }>();
  expectTypeOf(api.bytes()).resolves.toEqualTypeOf<ReadableStream<Uint8Array>>();
  expectTypeOf(api.memberStream()).resolves.toEqualTypeOf<ReadableStream<Stub<Member>>>();
  expectTypeOf(api.sink()).resolves.toEqualTypeOf<WritableStream<string>>();
  expectTypeOf(api.lines()).resolves.toEqualTypeOf<AsyncIterable<string>>();
  expectTypeOf(api.joins()).resolves.toEqualTypeOf<AsyncIterable<Stub<Member>>>();
  expectTypeOf(api.inside()).resolves.toEqualTypeOf<{ lines: AsyncIterable<string> }>();
  for await (const line of await api.lines()) expectTypeOf(line).toEqualTypeOf<string>();
});

test('each part of a union arrives by itself', () => {
  expectTypeOf(api.either()).resolves.toEqualTypeOf<User | Stub<Member> | string>();
});

test('stubs that a server passes on are stubs', () => {
  expectTypeOf(api.held()).resolves.toEqualTypeOf<Stub<Member>>();
  expectTypeOf(api.relayed()).resolves.toEqualTypeOf<Stub<Member>>();
  expectTypeOf(api.held().name).resolves.toEqualTypeOf<string>();
  expectTypeOf(api.relayed().name).resolves.toEqualTypeOf<string>();
});

test('an object with a function that may be missing is data, and one of methods only a target', async () => {
  interface Handlers {
    done?: () => void;
  }
  interface Task {
    run(): number;
    stop?(): void;
  }
  interface Marked extends TargetMark {
    run(): number;
    stop?(): void;
  }
  interface Tasks {
    handlers(): Handlers;
    task(): Task;
    either(): { listener: ((count: number) => void) | undefined };
    marked(): Marked;
    auth(): Auth;
  }
  const tasks = {} as Stub<Tasks>;
  expectTypeOf(tasks.handlers()).resolves.toEqualTypeOf<{ done?: Stub<() => void> }>();
  expectTypeOf(tasks.task()).resolves.toEqualTypeOf<{ run: Stub<() => number>; stop?: Stub<() => void> }>();
  expectTypeOf(tasks.either()).resolves.toEqualTypeOf<{ listener: Stub<(count: number) => void> | undefined }>();
  expectTypeOf(tasks.marked()).resolves.toEqualTypeOf<Stub<Marked>>();
  expectTypeOf(tasks.auth()).resolves.toEqualTypeOf<Stub<Auth>>();
  // Before it arrives, a member can be used without a question: if it is missing, the call rejects.
  expectTypeOf(tasks.task().stop()).resolves.toEqualTypeOf<void>();
  // @ts-expect-error it may be missing
  (await tasks.handlers()).done();
});
