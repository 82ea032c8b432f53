import { afterEach, expect, test } from 'vitest';
import { connectInMemory, RpcTarget } from '../src/memory.ts';

const ran: string[] = [];
afterEach(() => ran.splice(0));

const numbers = {
  '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value: value as unknown[] }) },
};

class Account extends RpcTarget {
  static readonly rpc = {
    rename: {
      args: numbers,
      guard: () => {
        ran.push('guard');
        return true;
      },
    },
    balance: { guard: () => true },
    list: { readOnly: true },
  };

  get balance(): number {
    ran.push('balance');
    return 5;
  }
  rename(...given: unknown[]): string {
    ran.push('rename');
    return `renamed ${given}`;
  }
  list(): number[] {
    return [1];
  }
}

function withOwn(properties: object): Account {
  return Object.defineProperties(new Account(), Object.getOwnPropertyDescriptors(properties));
}

function withPrototype(properties: object): Account {
  class Closed extends Account {}
  Object.defineProperties(Closed.prototype, Object.getOwnPropertyDescriptors(properties));
  return new Closed();
}

class Fields extends Account {
  override rename = () => 'the field';
}

const HIDING: [string, () => Account][] = [
  ['a field', () => new Fields()],
  ['a field that is undefined', () => withOwn({ rename: undefined })],
  ['a getter of the instance', () => withOwn({ get rename() { return () => 'the getter'; } })], // biome-ignore format: a line each
  ['a property of a Proxy', () => new Proxy(withOwn({ rename: 1 }), {})],
  ['undefined on the prototype of a subclass', () => withPrototype({ rename: undefined })],
  ['data on the prototype of a subclass', () => withPrototype({ rename: 'no' })],
  ['a setter of a subclass', () => withPrototype({ set rename(_name: string) {} })],
  [
    'undefined on a prototype in between',
    () => Object.setPrototypeOf(new Account(), Object.getPrototypeOf(withPrototype({ rename: undefined }))),
  ],
];

// biome-ignore lint/suspicious/noExplicitAny: the types know what is hidden
type Untyped = any;

test.each(HIDING)('neither calls nor guards an inherited method that %s hides', async (_what, make) => {
  using account: Untyped = connectInMemory(make());
  const refused = { code: 'METHOD_NOT_FOUND' };
  await expect((async () => account.rename(1))()).rejects.toMatchObject(refused);
  await expect((async () => account.rename)()).rejects.toMatchObject(refused);
  expect(ran).toEqual([]);
  expect(await account.balance).toBe(5);
  expect(await account.list()).toEqual([1]);
});

test.each<[string, () => Account]>([
  ['a property of the instance', () => withOwn({ balance: 1_000_000 })],
  ['undefined on the prototype of a subclass', () => withPrototype({ balance: undefined })],
  ['a setter of a subclass', () => withPrototype({ set balance(_value: number) {} })],
])('does not read an inherited getter that %s hides', async (_what, make) => {
  using account: Untyped = connectInMemory(make());
  await expect((async () => account.balance)()).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
  expect(ran).toEqual([]);
  expect(await account.rename(1)).toBe('renamed 1');
});

test('hides it for those of a list of targets that have it, also where a callback calls it', async () => {
  class Bank extends RpcTarget {
    accounts() {
      return [new Account(), new Fields()];
    }
  }
  using bank: Untyped = connectInMemory(new Bank());
  const [open, closed] = await bank.accounts();
  expect(await open.rename(1)).toBe('renamed 1');
  await expect((async () => closed.rename(1))()).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
  await expect((async () => bank.accounts().map((each: Untyped) => each.rename(2)))()).rejects.toMatchObject({
    code: 'METHOD_NOT_FOUND',
  });
});

test('says that a property hides the method, as constructors do that bind what they have inherited', async () => {
  using account: Untyped = connectInMemory(new Fields());
  await expect((async () => account.rename())()).rejects.toThrow(
    'no method "rename": it is a property of this Fields, and only methods and getters of its class can be reached',
  );
});

test('says of a property that hides nothing what it says of a name that nothing has', async () => {
  using account: Untyped = connectInMemory(withOwn({ secret: 1 }));
  const said = async (name: string) => account[name]().catch(({ message }: Error) => message.replace(name, 'it'));
  expect(await said('secret')).toBe(await said('nothing'));
});

test('runs a method that a subclass has again below what hid it', async () => {
  class Closed extends Account {}
  Object.defineProperty(Closed.prototype, 'rename', { value: undefined });
  class Open extends Closed {
    override rename = undefined as never;
  }
  Reflect.deleteProperty(Open.prototype, 'rename');
  Object.defineProperty(Open.prototype, 'rename', { value: () => 'open again' });
  using account: Untyped = connectInMemory(Object.create(Open.prototype));
  expect(await account.rename()).toBe('open again');
});
