import { type Message, toMessage } from '@lumenize/structured-clone/messages';
import type { Random } from '../../packages/structured-clone/test/fuzz/random.ts';

type Entry = readonly unknown[];

/** Messages that a client could send to a victim, of all kinds; the first id of calls is `id`. */
const FRAMES: readonly ((id: number, random: Random) => Message)[] = [
  // Calls, reads and chains.
  (id) => frame(id, ['increment', []]),
  (id, random) => frame(id, ['add', [random.below(1000), 2]]),
  (id) => frame(id, ['value']),
  (id) => frame(id, ['self', [], 'value'], [{ ms: 1000 }, 'self', []], [{ ms: 5, trace: TRACE }, 'add', [1, 2]]),
  (id) => frame(id, ['child', [], 'increment', [2]], [[id, 0], 'value'], [[id, 0]]),
  (id) => frame(id, ['profile', [], 'owner', 'name'], [-id, 'length'], ['profile', [], 'tags', 'size']),
  (id) => frame(id, ...Array.from({ length: 20 }, () => ['increment', []])),
  (id) => frame(id, ['fails', []], [-id, 'increment', []], ['never', []], 0, ['echoLater', ['x']]),
  (id) => frame(id, ['value'], ['echo', { $: [result(0)], of: [-id] }], add(id, id + 1)),
  (id, random) => JSON.stringify([id, random.below(id + 1), ['value']]),
  // Values.
  (id) =>
    marked(id, 'echo', '[{"$Map":["k",{"$Set":[1,{"$bigint":"2"},{"$number":"-0"}]}]},{"$Date":[0]},{"$undefined":0}]'),
  (id) => marked(id, 'echo', '[{"$Array":[3,"0",1,"2",3]},{"$":{"$x":1}},{"$null":{"a":1}}]'),
  (id) => marked(id, 'echo', '[{"self":{"$reference":1}},{"$RangeError":[1,"message","e","cause",{"$Error":[0]}]}]'),
  (id) => withBytes(id, 'echo', '[{"$Uint8Array":[{"$bytes":64}]},{"$URL":["a:b"]}]', 64),
  (id) => withBytes(id, 'look', '[{"$Blob":["text/plain",{"$bytes":9}]}]', 9),
  (id) => frame(id, ['look', [JSON.parse('{"constructor":1,"toString":2,"__proto__":{"polluted":true},"then":3}')]]),
  (id) => marked(id, 'echo', '[{"$RegExp":["(a+)+$","",0]}]'),
  (id) => frame(id, ['echo', [rows()]]),
  // References, both ways.
  (id) => frame(id, ['child', []], ['adder', [5]], [-id - 1, [1]]),
  (id, random) => frame(id, [1 + random.below(8), 'value'], ['echo', { $: [{ $yours: [0] }, { $yours: [1] }] }]),
  (id, random) => frame(id, [[id - 1 - random.below(20), 0], 'increment', []]),
  (id, random) => marked(id, 'ask', `[{"$function":[${1 + random.below(20)}]}]`),
  (id, random) => marked(id, 'echo', `[{"$target":[${1 + random.below(20)}]},{"$signal":[0,{"$Error":[0]}]}]`),
  () => '{"release":[1,1,2,1]}',
  (id) => JSON.stringify({ cancel: [id - 1, 'CANCELLED', id - 2, 'TIMED_OUT'] }),
  (_id, random) => JSON.stringify({ abort: 1 + random.below(20), why: { $: { $Error: [0] } } }),
  () => '{"read":"nobody asked"}',
  // Streams and the like.
  (id) => frame(id, ['count', [50]], ['bytes', []]),
  (id, random) => frame(id, ...Array.from({ length: 9 }, () => [1 + random.below(8), []])),
  (id, random) => frame(id, [1 + random.below(8), [{ why: 'enough' }]]),
  (id) => frame(id, drain('iterable', id), drain('bytes-stream', id + 1), drain('stream', id + 2)),
  (id) => marked(id, 'write', `[{"$sink":[${id}]}]`),
  (id) => marked(id, 'wait', `[{"$signal":[${id}]}]`),
  // Recordings.
  (id) => mapping(id, 'map', [1, ['at', [0]]], '{"$":[{"$result":[0]}],"of":[-1]}'),
  (id) => mapping(id, 'filter', [1, ['size']], '{"$":[{"$result":[0]}],"of":[-1]}'),
  (id) =>
    mapping(
      id,
      'map',
      [1, ['size'], [['c', 1], 'add', { $: [result(0), 1], of: [-1] }]],
      '{"$":[{"$result":[0]}],"of":[-2]}',
    ),
  (id) =>
    mapping(
      id,
      'map',
      [1, ['map', { $: [callback([1], '[5]')] }]],
      '{"$":[{"a":{"$result":[0]},"b":{"$result":[1]}}],"of":[-1,["c",0]]}',
    ),
  // Answers, of calls that the server may have made.
  (_id, random) => JSON.stringify([-1 - random.below(9), 'value', { $: 2 }, { $: { $Error: [0] }, '!': 1 }]),
  (_id, random) => JSON.stringify([-1 - random.below(9), [0, 'chunk'], [1]]),
  // What makes a connection that was lost go on.
  (id) => JSON.stringify({ again: [id, ['add', [1, 2]], ['value']], open: [id, id + 1], ms: 50 }),
  () => '{"leave":"news"}',
  () => 'ping',
];

/** Frames that have something stored, for which everybody who is answered then has to wait: so there are few of them. */
const STORING: typeof FRAMES = [
  // Results of exactly-once calls.
  (id, random) => JSON.stringify({ again: [id, ['once', [1]]], open: [id], ms: random.below(1e6) }),
  (id) => JSON.stringify({ again: [id, ['once', [1]], add(1, 2), ['once', [2]]], open: [id, id + 2], ms: 50 }),
  (id, random) => JSON.stringify([id, random.below(id + 1), ['once', [1]], ['child', [], 'once', [1]]]),
  // Topics.
  (id) => frame(id, ['follow', [0]], ['announce', [{ news: id }]]),
  (id, random) => frame(id, ['follow', [random.below(100)]], [{ since: ['x', random.below(100)] }, 'follow', []]),
];
const ONE_STORES_IN = 40;

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Makes a number of valid frames, with ids that go up. */
export function validFrames(count: number, random: Random): Message[] {
  return Array.from({ length: count }, (_, n) => {
    const make = n % ONE_STORES_IN === 0 ? STORING[(n / ONE_STORES_IN) % STORING.length] : FRAMES[n % FRAMES.length];
    return make(20 + n * 20, random);
  });
}

function frame(id: number, ...entries: (Entry | 0)[]): string {
  return JSON.stringify([id, ...entries]);
}

/** A call whose arguments are a form that is written by hand. */
function marked(id: number, method: string, form: string): string {
  return `[${id},["${method}",{"$":${form}}]]`;
}

function withBytes(id: number, method: string, form: string, bytes: number): Message {
  return toMessage(marked(id, method, form), [new Uint8Array(bytes)]);
}

function result(place: number): unknown {
  return { $result: [place] };
}

/** A call of `add` with two results. */
function add(one: number, other: number): Entry {
  return ['add', { $: [result(0), result(1)], of: [-one, -other] }];
}

function drain(kind: string, id: number): Entry {
  return ['drain', { $: [{ [`$${kind}`]: [id] }] }];
}

function callback(recorded: readonly unknown[], form: string): unknown {
  return { $callback: [`[${JSON.stringify(recorded)},${form}]`, { $yours: [0] }] };
}

function mapping(id: number, name: string, recorded: readonly unknown[], form: string): string {
  return frame(id, ['list', [], name, { $: [callback(recorded, form)] }]);
}

function rows(): unknown {
  return Array.from({ length: 10 }, (_, id) => ({ id, name: `row ${id}`, tags: ['a', 'b'] }));
}
