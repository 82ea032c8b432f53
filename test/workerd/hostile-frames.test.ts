import { toMessage } from '@lumenize/structured-clone/messages';
import { describe, expect, test } from 'vitest';
import type { CounterApi } from '../../examples/counter/src/counter-api.ts';
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

const json = JSON.stringify;

const HOSTILE: readonly [name: string, ...messages: (string | Uint8Array)[]][] = [
  ['no bytes', new Uint8Array(0)],
  ['text', 'hello'],
  ['text that begins as a frame', '[1,["increment",[]]'],
  ['text with more behind the frame', '[1,["increment",[]]]]'],
  ['text of brackets', '['.repeat(1_000_000)],
  ['text in bytes', new TextEncoder().encode('[1,["increment",[]]]')],
  ['text that is JSON', '{"id":1,"method":"increment"}'],
  ['a length of more text than there is', new Uint8Array([0, 0, 0, 200, 0x5b])],
  ['a length of four billion', new Uint8Array([255, 255, 255, 255, 255])],
  [
    'bytes that are not as many as the text says',
    toMessage('[1,["increment",{"$":[{"$Uint8Array":[{"$bytes":9}]}]}]]', [Uint8Array.of(1)]),
  ],
  ['no id', '["increment"]'],
  ['an id that is no integer', '[1.5,["increment",[]]]'],
  ['the frame of a version before', '[1,[0,["self","increment"],[]],[-1,0]]'],
  ['an entry that is a text', '[1,"increment"]'],
  ['an entry that is an object', '[1,{"receiver":0,"path":"increment"}]'],
  ['an entry that is empty', '[1,[]]'],
  ['an entry of a number only', '[1,5,5]'],
  ['a receiver that is not there', '[1,[7,"increment",[]]]'],
  ['a receiver of the future', '[1,[-5,"increment",[]]]'],
  ['a name that is a number', '[1,[0,5,[]]]'],
  ['a name with an object in it', '[1,["a",{},[]]]'],
  ['a path of a thousand names', json([1, [...new Array(1000).fill('constructor'), []]])],
  ['arguments that are no list', '[1,["increment",{"length":1}]]'],
  ['a frame that is sent again and is none', '{"again":5,"open":[1],"ms":1}'],
  ['arguments in which a RegExp hides', '[1,["increment",{"$":[{"$RegExp":["(a+)+$","",0]}]}]]'],
  ['a frame cut in half', json([1, ['increment', [{ long: 'enough to be cut' }]]]).slice(0, 20)],
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
    expect(await attack(new Uint8Array(33_554_433))).toEqual({ closed: 1009 });
    expect(await bystander.getValue()).toEqual(expect.any(Number));
  });

  test('of more operations than the limit runs none of them', async () => {
    using bystander = connectToSelf<CounterApi>(PATH);
    const before = await bystander.getValue();
    const end = await attack(json([1, ...Array.from({ length: 10_001 }, () => ['increment', []])]));
    expect(end).toEqual({ closed: 1007 });
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
