import { expect, test, vi } from 'vitest';
import { connectInMemory, RpcTarget } from '../src/memory.ts';
import { servePort } from '../src/port.ts';
import { expiring } from '../src/server.ts';

class Clock extends RpcTarget {
  get now(): number {
    return 5;
  }
  tick(): number {
    return 6;
  }
}

class Plain {}

class Failing extends RpcTarget {
  withSymbol(): never {
    throw Object.assign(new RangeError('out of lamps'), { kind: Symbol('kind') });
  }
  withMuchText(): never {
    throw Object.assign(new Error('x'.repeat(1000)), { kind: Symbol('kind') });
  }
  withoutText(): never {
    const toString = () => {
      throw new Error('no text');
    };
    throw Object.assign(Object.create(Error.prototype, { toString: { value: toString } }), { kind: Symbol('kind') });
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the types would find these mistakes
type Mistaken = any;

test.each<[string, (clock: Mistaken) => unknown, string]>([
  ['a getter is called', (clock) => clock.now(), 'no method "now": it is a getter of Clock'],
  ['a method is read', (clock) => clock.tick, 'no getter "tick": it is a method of Clock'],
  [
    'a pattern is sent to who refuses it',
    (clock) => clock.tick(/a/),
    'tick(): at argument 0: RegExp is not accepted here: the option refuse',
  ],
  [
    'one is deep inside',
    (clock) => clock.tick({ $RegExp: 1 }, { $null: [{ 'a b': [1, /a/] }] }),
    'tick(): at argument 1.$null[0].a b[1]: RegExp is not accepted here',
  ],
  ['one is in a Map', (clock) => clock.tick({ by: new Map([[1, /a/]]) }), 'tick(): at argument 0.by[1]: RegExp'],
  [
    'another call of the frame is to blame',
    (clock) => {
      clock.tick(1).catch(() => {});
      return clock.tick([/a/]);
    },
    'tick(): at argument 0[0]: RegExp',
  ],
])('says what to do where %s', async (_what, misuse, message) => {
  using clock: Mistaken = connectInMemory(new Clock());
  await expect((async () => misuse(clock))()).rejects.toThrow(message);
});

test.each<[string, unknown, string]>([
  ['an instance of another class', new Plain(), 'not of Plain'],
  ['a class', Clock, 'not of Function: a class has to be made an instance with new'],
  ['a promise', Promise.resolve(new Clock()), 'not of Promise: is it async?'],
  ['an object', {}, 'not of Object'],
  ['nothing', undefined, 'not of undefined'],
])('says that %s cannot be served', (_what, target, message) => {
  const { port1 } = new MessageChannel();
  expect(() => servePort(port1, target as Clock)).toThrow(`an instance of a class that extends RpcTarget, ${message}`);
  port1.close();
});

test.each<[string, object, string]>([
  ['a name', { methud: { readOnly: true } }, 'static rpc of Board speaks of methud, which is no method of it'],
  ['an option', { add: { readonly: true } }, 'static rpc: Board.add has the option readonly, which there is none of'],
  ['a schema', { add: { args: [/x/] } }, 'static rpc: args of Board.add has to be a Standard Schema, or a list'],
])('throws at once where static rpc of a target in memory has %s wrong', (_what, rpc, message) => {
  class Board extends RpcTarget {
    static readonly rpc = rpc;
    add(): void {}
  }
  expect(() => connectInMemory(new Board())).toThrow(TypeError);
  expect(() => connectInMemory(new Board())).toThrow(message);
  expect(() => connectInMemory({})).toThrow('connectInMemory() needs an instance of a class that extends RpcTarget');
});

test('throws at once where a class declares its options by a field rpc that is not static', () => {
  class Board extends RpcTarget {
    readonly rpc: object;
    constructor(rpc: object) {
      super();
      this.rpc = rpc;
    }
    add(): void {}
  }
  const serve = (rpc: object) => () => connectInMemory(new Board(rpc))[Symbol.dispose]();
  expect(serve({ add: { exactlyOnce: true } })).toThrow(
    'rpc of Board is a field, which declares nothing: make it static',
  );
  for (const other of [{}, { add: 1, url: 2 }, new Clock()]) expect(serve(other)).not.toThrow();
});

test.each([
  ['in seconds, as in a token', Math.floor(Date.now() / 1000) + 3600, 'milliseconds, not seconds: multiply by 1000'],
  ['not there', undefined as never, 'a time: milliseconds since 1970, or a Date'],
])('says that an identity cannot expire at a time that is %s', (_what, time, message) => {
  expect(() => expiring('Ada', time)).toThrow(new TypeError(`expiring() needs ${message}`));
});

test('says what cannot be sent of what was thrown', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  using failing = connectInMemory(new Failing());
  const [one, much, none] = await Promise.allSettled([
    failing.withSymbol(),
    failing.withMuchText(),
    failing.withoutText(),
  ]).then((all) => all.map((each) => each.status === 'rejected' && each.reason));
  expect(one.code).toBe('NOT_CLONEABLE');
  expect(one.message).toMatch(/^withSymbol\(\) threw what cannot be sent: at value\.kind: /);
  expect(much.message.length).toBeLessThan(200);
  expect(none.message).toMatch(/^withoutText\(\) threw what cannot be sent: at value\.kind: /);
});

test('says what to do where a block closes a connection before its calls were made', async () => {
  const hurried = async () => {
    using clock = connectInMemory(new Clock());
    return clock.tick(); // without await
  };
  await expect(hurried()).rejects.toMatchObject({
    code: 'NOT_EXECUTED',
    message: 'the connection was closed: with "using", await calls inside its block',
  });
});
