import { RpcTarget } from '@lumenize/rpc';
import { expect, test } from 'vitest';
import { FIRST_KEPT } from '../src/protocol/address.ts';
import { bytesOf, type Message, messageOf } from '../src/protocol/message.ts';
import { FUNCTION, RECORDING, RESULT } from '../src/protocol/tags.ts';
import { createServerContext } from '../src/server/server-context.ts';
import { ServerSession } from '../src/server/session.ts';
import { Extended, recording, sequence, valuesOf } from './support/frames.ts';
import { until } from './support/until.ts';

let ran = 0;

class Api extends RpcTarget {
  list() {
    return [1, 2, 3];
  }
  echo(value: unknown) {
    ran++;
    return value;
  }
}

const result = (...parts: unknown[]) => new Extended(RESULT, ...parts);

/** A frame with a list, and a call of a method of it that gets these arguments. */
const mapping = (...args: unknown[]) => sequence(1, [0, 'list', []], [1, 'map', args], [-1, 0]);

/** Sends a frame and returns the entries of what is answered, without a wait; undefined where the connection is closed. */
function answerTo(frame: Message): unknown[] | undefined {
  let answer: unknown[] | undefined = [];
  const session = new ServerSession(
    new Api(),
    {
      send: (sent) => void answer?.push(...valuesOf(sent)),
      close: () => {
        answer = undefined;
      },
    },
    createServerContext({}),
  );
  session.receive(frame);
  return answer;
}

let deep = recording([[1]]);
for (let depth = 0; depth < 8; depth++) deep = recording([[0, 'map', [deep]], [result(1)]]);

const ELEMENT = result(0);

const HOSTILE: readonly [name: string, frame: Message][] = [
  ['whose operations are no list', mapping(new Extended(RECORDING, 5, []))],
  ['whose operations are text', mapping(new Extended(RECORDING, '[[1]]', []))],
  ['without operations', mapping(new Extended(RECORDING))],
  ['whose operations are empty', mapping(new Extended(RECORDING, [], []))],
  ['without captures', mapping(new Extended(RECORDING, [[1]]))],
  ['whose captures are no list', mapping(new Extended(RECORDING, [[1]], { length: 1 }))],
  ['with a mark that is not known', mapping(new Extended(RECORDING, [[{ $unheard: [] }]], []))],
  ['with a mark that is misused', mapping(new Extended(RECORDING, [[{ $Date: ['x'] }]], []))],
  ['with bytes that nothing uses', mapping(new Extended(RECORDING, [[1]], [], new Uint8Array(1)))],
  ['with bytes that are none', mapping(new Extended(RECORDING, [[1]], [], 'x'))],
  ['with something behind its bytes', mapping(new Extended(RECORDING, [[1]], [], new Uint8Array(0), 1))],
  ['without a result', mapping(recording([[0, 'at', [0]]]))],
  ['with two results', mapping(recording([[1], [2]]))],
  ['with an operation behind the result', mapping(recording([[1], [0, 'at', [0]]]))],
  ['with an entry that is no list', mapping(recording([5, [1]]))],
  ['with an operation of no parts', mapping(recording([[], [1]]))],
  ['with a receiver of the future', mapping(recording([[3, 'at', [0]], [1]]))],
  ['with a receiver that is a signal', mapping(recording([[-1, 0], [1]]))],
  ['with a receiver that is no number', mapping(recording([['0', 'at', [0]], [1]]))],
  ['with a reference of the future in arguments', mapping(recording([[0, 'at', [result(2)]], [1]]))],
  ['with a reference of the future in the result', mapping(recording([[[result(2)]]]))],
  ['with a capture that is not there as receiver', mapping(recording([[FIRST_KEPT, 'at', [0]], [1]]))],
  ['with a capture that is not there in the result', mapping(recording([[result(FIRST_KEPT - 1)]], 1))],
  ['with terms of its own', mapping(recording([[0, 'at', [0], 5], [1]]))],
  ['with a path of a thousand names', mapping(recording([[0, new Array(1000).fill('a'), []], [1]]))],
  ['with a path of a thousand names in a reference', mapping(recording([[result(0, ...new Array(1000).fill('a'))]]))],
  ['with a function in it', mapping(recording([[0, 'at', [new Extended(FUNCTION, 1)]], [1]]))],
  ['with a RegExp in it', mapping(recording([[/(a+)+$/]]))],
  ['with a great many holes', mapping(recording([[new Array(5000)]]))],
  ['with more operations than a frame', mapping(recording([...new Array(10_001).fill([0, 'at', [0]]), [1]]))],
  ['nested too deep', mapping(deep)],
  ['nested in the result of another', mapping(recording([[recording([[1]])]]))],
  ['nested as a second argument', mapping(recording([[0, 'map', [1, recording([[1]])]], [1]]))],
  ['nested whose own captures lead nowhere', mapping(recording([[0, 'map', [recording([[1]], result(9))]], [1]]))],
  ['as a second argument', mapping(1, recording([[1]]))],
  ['in data', mapping([recording([[1]])])],
  ['twice', mapping(recording([[1]]), recording([[1]]))],
  ['for another method', sequence(1, [0, 'echo', [recording([[1]])]])],
  ['for no method', sequence(1, [0, [], [recording([[1]]), 'reduce', []]])],
  ['in a signal', sequence(1, [-4, recording([[1]])])],
  ['whose captures lead out of the frame', mapping(recording([[ELEMENT]], result(9)))],
];

test.each(HOSTILE)('a recording %s is refused with its frame, and nothing runs', (_name, frame) => {
  ran = 0;
  const [id, [kind, refusal]] = answerTo(frame) as [number, [number, unknown[]]];
  expect([id, kind]).toEqual([1, 2]);
  expect(refusal[0]).toMatch(/^(MALFORMED_FRAME|NOT_CLONEABLE|LIMIT_EXCEEDED)$/);
  expect(ran).toBe(0);
});

test('recordings written by hand run', () => {
  const body = [[FIRST_KEPT, 'echo', [ELEMENT]], [{ it: result(1), key: result(2) }]];
  expect(answerTo(mapping(recording(body, result(0, 'nothing'))))).toEqual([
    2,
    [1, [expect.any(String), expect.any(String)]],
  ]);
  expect(answerTo(mapping(recording(body, new Extended(RESULT, 0))))).toEqual([
    2,
    [[1, 2, 3].map((it, key) => ({ it, key }))],
  ]);
  expect(answerTo(sequence(1, [0, [], [recording([[ELEMENT]]), 'filter', [0, 5]]]))).toEqual([1, [[5]]]);
});

test('a small frame cannot ask for endless work', async () => {
  let inner = recording([[1]]);
  for (let depth = 0; depth < 6; depth++)
    inner = recording([[FIRST_KEPT, 'map', [inner]], [result(1)]], result(FIRST_KEPT));
  const most = recording([[FIRST_KEPT, 'map', [inner]], [result(1)]], new Array(100).fill(0));
  const frame = mapping(most);
  expect(frame.length).toBeLessThan(1000);
  const answer = answerTo(frame)!;
  await until(() => answer.length > 0);
  expect(answer).toEqual([2, [1, ['LIMIT_EXCEEDED', expect.stringContaining('maxMapOperations')]]]);
});

test('damaged recordings are refused, fail or run, and throw nothing', () => {
  const inner = recording([[FIRST_KEPT, 'echo', [ELEMENT]], [result(1)]], result(0));
  const body = [[FIRST_KEPT, 'echo', [{ a: [ELEMENT] }]], [1, 'map', [inner]], [[result(2, 'a'), result(1)]]];
  const frame = mapping(recording(body, result(2)), { settle: true });
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  for (let round = 0; round < 20_000; round++) {
    const damaged = bytesOf(frame).slice();
    for (let times = 1 + random() * 3; times > 0; times--) {
      damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256);
    }
    answerTo(messageOf(damaged));
  }
});
