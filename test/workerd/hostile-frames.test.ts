import { toMessage } from '@lumenize/structured-clone/messages';
import { describe, expect, test } from 'vitest';
import type { CounterApi } from '../../examples/counter/src/counter-api.ts';
import { sequence } from '../../packages/rpc/test/support/frames.ts';
import { connectToSelf, upgrade } from './self-transport.ts';

const PATH = '/rpc/counter/attacked';

/** Sends what is given on a socket of its own and returns how it ended: closed, or answered. */
async function attack(...messages: (string | Uint8Array)[]): Promise<{ closed?: number; answered?: boolean }> {
  const socket = await upgrade(PATH);
  const end = new Promise<{ closed?: number; answered?: boolean }>((resolve) => {
    socket.addEventListener('close', ({ code }) => resolve({ closed: code }), { once: true });
    socket.addEventListener('message', () => resolve({ answered: true }), { once: true });
  });
  socket.accept();
  for (const message of messages) socket.send(message);
  const how = await end;
  socket.close();
  return how;
}

/** Garbage that is the same in every run. */
function garbage(length: number, seed: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}

const HOSTILE: readonly [name: string, ...messages: (string | Uint8Array)[]][] = [
  ['no bytes', new Uint8Array(0)],
  ['text', 'hello'],
  ['text that begins as a frame', '[1,[0,"increment",[]]'],
  ['text with more behind the frame', '[1,[0,"increment",[]]]]'],
  ['text of brackets', '['.repeat(1_000_000)],
  ['text in bytes', new TextEncoder().encode('[1,[0,"increment",[]]]')],
  ['text that is JSON', '{"id":1,"method":"increment"}'],
  ['a length of more text than there is', new Uint8Array([0, 0, 0, 200, 0x5b])],
  ['a length of four billion', new Uint8Array([255, 255, 255, 255, 255])],
  ['bytes that nothing uses', toMessage('[1,[0,"increment",[]]]', [Uint8Array.of(1)])],
  ['no id', sequence('increment')],
  ['a negative id', sequence(-1, [0, 'increment', []])],
  ['an id that is no integer', sequence(1.5, [0, 'increment', []])],
  ['an operation that is a string', sequence(1, 'increment')],
  ['an operation that is an object', sequence(1, { receiver: 0, path: 'increment' })],
  ['an operation without a path', sequence(1, [0])],
  ['an operation with too many parts', sequence(1, [0, 'increment', [], 1, 2])],
  ['a receiver that is not there', sequence(1, [7, 'increment', []])],
  ['a receiver of the future', sequence(1, [-5, 'increment', []])],
  ['a path that is a number', sequence(1, [0, 5, []])],
  ['a path with an object in it', sequence(1, [0, ['a', {}], []])],
  ['a path of a thousand steps', sequence(1, [0, new Array(1000).fill('constructor'), []])],
  ['arguments that are no list', sequence(1, [0, 'increment', { length: 1 }])],
  ['an unanswered operation that is not there', sequence(1, [0, 'increment', []], [-1, 9])],
  ['a call frame in which a RegExp hides', sequence(1, [0, 'increment', [/(a+)+$/]])],
  ['bytes after the last operation', sequence(1, [0, 'getValue', []], [-1, 0], 'more')],
  ['a frame cut in half', sequence(1, [0, 'increment', [new Map([[1, 'long enough to be cut']])]]).slice(0, 20)],
];

describe('a hostile frame', () => {
  test.each(HOSTILE)('%s is refused, runs nothing, and disturbs nobody else', async (_name, ...messages) => {
    using bystander = connectToSelf<CounterApi>(PATH);
    const before = await bystander.getValue();
    const end = await attack(...messages);
    expect(end.answered === true || end.closed === 1007 || end.closed === 1003).toBe(true);
    expect(await bystander.getValue()).toBe(before);
  });

  test('of a size beyond the limit closes its own connection', async () => {
    using bystander = connectToSelf<CounterApi>(PATH);
    expect(await attack(new Uint8Array(8_388_609))).toEqual({ closed: 1009 });
    expect(await bystander.getValue()).toEqual(expect.any(Number));
  });

  test('of more operations than the limit runs none of them', async () => {
    using bystander = connectToSelf<CounterApi>(PATH);
    const before = await bystander.getValue();
    const end = await attack(sequence(1, ...Array.from({ length: 10_001 }, () => [0, 'increment', []])));
    expect(end).toEqual({ answered: true });
    expect(await bystander.getValue()).toBe(before);
  });

  test('of garbage, a thousand of them, leaves a well-behaved client served and correct', async () => {
    using bystander = connectToSelf<CounterApi>('/rpc/counter/beside-garbage');
    for (let seed = 1; seed <= 1000; seed += 50) {
      const sockets = await Promise.all(Array.from({ length: 50 }, () => upgrade('/rpc/counter/beside-garbage')));
      sockets.forEach((socket, index) => {
        socket.accept();
        socket.send(garbage((seed + index) % 97, seed + index));
      });
      await bystander.increment();
      for (const socket of sockets) socket.close();
    }
    expect(await bystander.getValue()).toBe(20);
  });
});
