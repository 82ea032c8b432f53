import { connectInMemory } from '@lumenize/rpc/memory';
import { RpcTarget } from '@lumenize/rpc/server';
import { expect, test } from 'vitest';
import { serve, until } from './support/serve.ts';

class Api extends RpcTarget {
  ran = 0;
  list() {
    return [{ a: 1 }, { a: 2 }];
  }
  echo(value: unknown) {
    this.ran++;
    return value;
  }
}

const quiet = { rateLimits: { connection: false as const }, onError: () => {} };

/** A frame that maps a list by a recording: the text of its calls and of its result, and what it captures. */
function mapping(recording: unknown, ...captures: unknown[]): string {
  const text = typeof recording === 'string' ? recording : JSON.stringify(recording);
  return JSON.stringify([1, ['list', [], 'map', { $: [{ $callback: [text, ...captures] }] }]]);
}

/** The result that is another call's. */
const form = (address: unknown) => ({ $: [{ $result: [0] }], of: [address] });

test('recordings written by hand run', async () => {
  const { send, answers } = serve(new Api(), quiet);
  send(mapping([[1, [0, 'a']], form(-1)]));
  await until(() => answers().size === 1);
  expect(answers().get(1)).toEqual([1, 2]);
});

test.each<[string, string]>([
  ['whose text is no JSON', mapping('[[1')],
  ['whose text is no list', mapping('{}')],
  ['that is empty', mapping([])],
  ['without a result', mapping([[1, [0, 'a']]])],
  ['with an entry that is none', mapping([[1, 5], [1]])],
  ['with an entry of no parts', mapping([[1, []], [1]])],
  ['with a receiver of the future', mapping([[1, [-3, 'a'], [0, 'a']], [1]])],
  ['with a receiver that is no address', mapping([[1, [['x', 0], 'a']], [1]])],
  ['with a capture that is not there', mapping([[1, [['c', 7], 'a']], [1]])],
  ['with a result of the future', mapping([[1], form(-9)])],
  ['with a mark that nobody knows', mapping([[1], { $: [{ $unheard: [] }] }])],
  ['with a mark that is misused', mapping([[1], { $: [{ $Date: ['x', 'y'] }] }])],
  ['with bytes that are not there', mapping([[1], { $: [{ $Uint8Array: [{ $bytes: 9 }] }] }])],
  ['with a RegExp in it', mapping([[1], { $: [{ $RegExp: ['(a+)+$', ''] }] }])],
  ['that reaches for a constructor', mapping([[1, [0, 'constructor']], form(-1)])],
])('a recording %s is refused, and the object goes on', async (_what, frame) => {
  const { send, answers, closes, session } = serve(new Api(), quiet);
  send(frame);
  await until(() => answers().size === 1 || closes.length === 1);
  expect(answers().get(1)).not.toBeInstanceOf(Array);
  expect(session.idle).toBeUndefined();
});

test('damaged recordings are refused, fail or run, and throw nothing', async () => {
  const inner = { $callback: ['[[1,[0,"echo"]],{"$":[{"$result":[0]}],"of":[-1]}]', { $yours: [0] }] };
  const frame = mapping(
    [
      [1, [['c', 1], 'echo', { $: [{ a: [{ $result: [0] }] }], of: [0] }], [-1, 'a', 'map', { $: [inner] }]],
      { $: [{ b: { $result: [0] } }], of: [-2] },
    ],
    { $yours: [0] },
  );
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  let answered = 0;
  for (let round = 0; round < 3000; round++) {
    const units = [...frame];
    for (let times = 1 + random() * 3; times > 0; times--) {
      units[Math.floor(random() * units.length)] = String.fromCharCode(32 + Math.floor(random() * 95));
    }
    const { send, answers, session } = serve(new Api(), quiet);
    send(units.join(''));
    for (let job = 0; job < 20 && session.idle !== undefined; job++) await undefined;
    answered += answers().size;
    session.closed();
  }
  expect(answered).toBeGreaterThan(100);
});

test('answers to what nobody asked are ignored', async () => {
  const { send, answers, closes } = serve(new Api(), quiet);
  for (const frame of ['[-5,1]', '[-5,{"$":5,"!":1}]', '[-5,{"$":{"$rpcError":["DENIED","no"]},"!":1}]']) send(frame);
  send([1, ['echo', ['a']]]);
  expect([answers().get(1), closes]).toEqual(['a', []]);
});

test('an error with a method then is data, and not awaited', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: tested untyped
  const stub: any = connectInMemory(new Api());
  const error = Object.assign(new RangeError('no'), { then: 'later' });
  expect(await stub.echo([error])).toMatchObject([{ message: 'no', then: 'later' }]);
  stub[Symbol.dispose]();
});
