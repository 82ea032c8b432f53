import { expect, test } from 'vitest';
import { connectInMemory, RpcTarget } from '../src/memory.ts';
import { servePort } from '../src/port.ts';

class Clock extends RpcTarget {
  get now(): number {
    return 5;
  }
  tick(): number {
    return 6;
  }
}

class Plain {}

// biome-ignore lint/suspicious/noExplicitAny: the types would find these mistakes
type Mistaken = any;

test.each<[string, (clock: Mistaken) => unknown, string]>([
  ['a getter is called', (clock) => clock.now(), 'now is a getter: read it, without parentheses'],
  ['a method is read', (clock) => clock.tick, 'tick is a method: call it, with parentheses'],
  ['a pattern is sent to who refuses it', (clock) => clock.tick(/a/), 'RegExp is not accepted here: the option refuse'],
])('says what to do where %s', async (_what, misuse, message) => {
  using clock: Mistaken = connectInMemory(new Clock());
  await expect((async () => misuse(clock))()).rejects.toThrow(message);
});

test.each<[string, unknown, string]>([
  ['an instance of another class', new Plain(), 'not of Plain'],
  ['a class', Clock, 'not of Function'],
  ['a promise', Promise.resolve(new Clock()), 'not of Promise'],
  ['an object', {}, 'not of Object'],
  ['nothing', undefined, 'not of undefined'],
])('says that %s cannot be served', (_what, target, message) => {
  const { port1 } = new MessageChannel();
  expect(() => servePort(port1, target as Clock)).toThrow(`an instance of a class that extends RpcTarget, ${message}`);
  port1.close();
});
