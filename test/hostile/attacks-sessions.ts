import { connect } from '@lumenize/rpc';
import { expect } from 'vitest';
import type { Where } from './advisories.ts';
import { type Attack, ended, failure, forged, frame, frameFrom, refused, times } from './attack.ts';
import { THROUGH_RESULTS, UNREACHABLE } from './attacks-names.ts';
import { VICTIM_PATH } from './paths.ts';

/** What looks like the words of some protocol: this one's, its predecessor's, others'. */
const MARKERS: readonly unknown[] = [
  ['increment', []],
  [1, ['increment', []]],
  [-1, 0],
  [0],
  { $: { $function: [1] } },
  { $: 5 },
  { $: 5, '!': 1 },
  { $: { $rpcError: ['DENIED', 'no'] }, '!': 1, of: [-1], at: 3 },
  { release: [1, 1] },
  { cancel: [1, 'CANCELLED'] },
  { again: [1, ['increment', []]], open: [1], ms: 1 },
  { $place: [0] },
  { $function: 'increment' },
  { $Date: [0], $reference: 0 },
  { $$: 1, $undefined: 0 },
  { __isNestedOperation: true, __refId: 'x', __operationChain: [{ type: 'apply', args: [] }] },
  { __lmz: 'error', name: 'Error' },
  ['import', 1],
  ['pipeline', 0, ['increment']],
  ['export', -1],
  ['$L0', '$F0', '$@0', '$B0'],
  { type: 'RELEASE', id: 1 },
  { jsonrpc: '2.0', method: 'increment', id: 1 },
];

const HUGE_IDS = [2 ** 32, 2 ** 52, Number.MAX_SAFE_INTEGER - 5];
const READ = ['value'];

/** Marks of a kind, with ids of their own. */
const marks = (name: string, count: number) => times(count, (place) => ({ [`$${name}`]: [place + 1] }));

/** An attack by more references of a kind than there may be. */
const beyondReferences = (name: string): Attack =>
  refused(`${name}s beyond the cap`, () => frame(['echo', { $: [marks(name, 20_001)] }]), 'LIMIT_EXCEEDED');

/** A callback of `map` that calls `map` on what it got with another callback, so many levels deep. */
function mapOfMaps(depth: number): unknown {
  const inner = depth === 0 ? { $: [{ a: { $result: [0] } }], of: [0] } : undefined;
  if (inner !== undefined) return { $callback: [JSON.stringify([[1], inner])] };
  const next = { $: [mapOfMaps(depth - 1)], of: [['c', 1]] };
  return {
    $callback: [JSON.stringify([[1, [['c', 1], 'map', next]], { $: [{ $result: [0] }], of: [-1] }]), { $result: [0] }],
  };
}

export const SESSION_ATTACKS: Partial<Record<Where, readonly Attack[]>> = {
  'React Flight': [
    {
      name: 'a frame of the most calls that may be: answered, while others are served',
      async run(victim) {
        const { answers } = await victim.send([frame(...times(10_000, () => READ))], 10_000);
        expect(answers.length).toBe(10_000);
      },
    },
    ended('a frame of one call more', () => frame(...times(10_001, () => ['increment', []]))),
    {
      name: 'a frame that is sent again and names one place millions of times: that one runs, once',
      async run(victim) {
        const again = JSON.parse(frame(...times(10_000, () => READ)));
        const message = JSON.stringify({ again, open: times(1_500_000, () => 9999), ms: 0 });
        const { answers } = await victim.send([message, frameFrom(20_000, READ)], 2);
        expect(answers).toEqual([expect.any(Number), expect.any(Number)]);
      },
    },
    {
      name: 'thousands of acknowledgements of what was never stored: nothing is lost but what was acknowledged',
      async run(victim) {
        const frames = times(5000, (n) => JSON.stringify([n + 2, n % 2 === 0 ? Number.MAX_SAFE_INTEGER : n + 1, READ]));
        const { answers } = await victim.send([frame(['once', [1]]), ...frames], 5001);
        expect([answers.length, answers[0]]).toEqual([5001, 2]);
      },
    },
  ],
  'Lumenize before': [
    ...UNREACHABLE,
    THROUGH_RESULTS,
    ended('a type by the name of a global', () => forged('{"$Function":["return 1"]}')),
    {
      name: 'data that looks like a control marker: data',
      async run({ stub }) {
        for (const marker of MARKERS) {
          expect(await stub.echo(marker)).toEqual(marker);
          expect(await stub.echo({ nested: new Map([[marker, [marker]]]) })).toEqual({
            nested: new Map([[marker, [marker]]]),
          });
        }
      },
    },
    {
      name: 'a chain of steps: each runs once',
      async run(victim) {
        const before = await victim.stub.value;
        const use = ['add', { $: [{ $result: [0] }, 1], of: [[1, 0]] }];
        const chain = frame(['child', [], 'increment', [5]], [-1], [[1, 0], 'increment', [0]], use, [-2, 'self', []]);
        const { answers } = await victim.send([chain], 5);
        expect([answers[0], answers[1], answers[2]]).toEqual([before + 5, before + 5, before + 5]);
        await victim.stub.increment(-5);
      },
    },
    {
      name: 'a result that cannot be encoded: answered with an error, and so are those beside it',
      async run(victim) {
        const error = await victim.stub.refuses().catch((reason: unknown) => reason);
        expect(error).toMatchObject({ code: 'NOT_CLONEABLE', message: expect.stringContaining('refuses') });
        const { answers } = await victim.send([frame(['refuses', []], ['add', [1, 2]])], 2);
        expect(answers).toEqual([failure('NOT_CLONEABLE'), 3]);
      },
    },
  ],
  "Cap'n Web": [
    {
      name: 'references beyond the cap: the calls that would make them fail',
      async run(victim) {
        const frames = times(3, (n) => frameFrom(1 + n * 10_000, ...times(10_000, () => ['child', []])));
        const { answers } = await victim.send(frames, 30_000);
        const failed = answers.filter((answer) => Object.hasOwn(answer as object, '!'));
        expect([answers.length, failed.length]).toEqual([30_000, 10_000]);
        expect(failed[0]).toEqual(failure('LIMIT_EXCEEDED', expect.stringContaining('maxReferences')));
      },
    },
    ...['function', 'target', 'stream', 'sink', 'iterable', 'signal'].map(beyondReferences),
    refused(
      'signals beyond the cap that were aborted before, which take much for their bytes',
      () => frame(['echo', { $: [times(20_001, () => ({ $signal: [0] }))] }]),
      'LIMIT_EXCEEDED',
    ),
    {
      name: 'steps beyond the cap: the newest thousand are kept, and disposed of by and by',
      async run(victim) {
        const frames = times(3, (n) => frameFrom(1 + n * 10_000, ...times(10_000, () => ['child', [], 'value'])));
        const { answers } = await victim.send(
          [...frames, frameFrom(40_000, ['counts', []], [[1, 0], 'value'])],
          30_002,
        );
        expect(answers.slice(-2)).toEqual([expect.objectContaining({ heldResults: 1000 }), failure('REFERENCE_LOST')]);
      },
    },
    {
      name: 'calls that never end, beyond the cap: do not begin',
      async run(victim) {
        const frames = times(3, (n) => frameFrom(1 + n * 600, ...times(600, () => ['never', []])));
        const { answers } = await victim.send(frames, 800);
        expect(answers).toEqual(times(800, () => failure('OVERLOADED', expect.stringContaining('maxCallsInFlight'))));
      },
    },
    {
      name: 'calls that never end, all of one id: the second ends the connection',
      async run(victim) {
        const { answers, closed } = await victim.send(times(3, () => frame(...times(600, () => ['never', []]))));
        expect([answers, closed]).toEqual([[], 1007]);
      },
    },
    {
      name: 'pulls without end, of a stream that has nothing: wait as calls do, and are refused beyond the cap',
      async run(victim) {
        const pulls = times(3, (n) => frameFrom(10 + n * 1000, ...times(1000, () => [1, []])));
        const { answers } = await victim.send([frame(['silent', []]), ...pulls], 2001);
        expect(answers).toEqual([
          { $: { $iterable: [1] } },
          ...times(2000, () => failure('OVERLOADED', expect.stringContaining('maxCallsInFlight'))),
        ]);
      },
    },
    {
      name: 'pulls without end, of a stream without one, by who reads nothing: the connection ends',
      async run(victim) {
        const pulls = times(3, (n) => frameFrom(10 + n * 1000, ...times(1000, () => [1, []])));
        const { answers, closed } = await victim.send([frame(['flood', []]), ...pulls], 3001);
        // Each comes to 256 KiB at most.
        expect([closed, answers.length < 600]).toEqual([1013, true]);
      },
    },
    {
      name: 'promises without end: a result that waits for results that wait is one call each',
      async run(victim) {
        const uses = times(1500, (n) => ['never', { $: [{ $result: [0] }], of: [-(n + 1)] }]);
        const { answers } = await victim.send([frame(['never', []], ...uses), frameFrom(9000, READ)], 1);
        expect(answers.length).toBeGreaterThan(0);
      },
    },
    {
      name: 'map of maps: bounded by what all callbacks of the frame do together',
      async run(victim) {
        const list = times(100, (n) => n);
        const { answers } = await victim.send(
          [frame(['echo', [list]], [-1, 'map', { $: [mapOfMaps(7)], of: [-1] }])],
          2,
        );
        expect(answers[1]).toEqual(failure('LIMIT_EXCEEDED', expect.stringContaining('maxMapOperations')));
      },
    },
    {
      name: 'a large constant in the callback of map: takes no more memory than a frame may',
      async run(victim) {
        const text = JSON.stringify([[1], [['x'.repeat(1_000_000)]]]);
        const list = times(1000, (n) => n);
        const { answers } = await victim.send(
          [frame(['echo', [list]], [-1, 'map', { $: [{ $callback: [text] }] }])],
          2,
        );
        expect(answers[1]).toEqual(failure('LIMIT_EXCEEDED', expect.stringContaining('maxMapOperations')));
      },
    },
    {
      name: 'keys such as `constructor` and `toString`: kept as data',
      async run({ stub }) {
        const value = JSON.parse('{"constructor":1,"toString":2,"__proto__":3,"valueOf":{"hasOwnProperty":4}}');
        expect(JSON.stringify(await stub.echo(value))).toBe(JSON.stringify(value));
      },
    },
    {
      name: 'huge ids of calls: answered',
      async run(victim) {
        for (const id of HUGE_IDS) {
          expect(await victim.send([frameFrom(id, ['add', [1, 2]])])).toEqual({ answers: [3] });
        }
      },
    },
    {
      name: 'huge ids of references and of steps: lost, and nothing runs',
      async run(victim) {
        for (const id of HUGE_IDS) {
          const uses = [
            [id, 'increment', []],
            [[id, 0], 'increment', []],
            [[1, id], 'increment', []],
            ['increment', { $: [{ $yours: [id] }] }],
          ];
          const { answers } = await victim.send([frame(...uses)], uses.length);
          expect(answers).toEqual(uses.map(() => failure('REFERENCE_LOST')));
        }
      },
    },
    {
      name: 'huge ids in signals and in answers: nothing that anybody notices',
      async run(victim) {
        const id = Number.MAX_SAFE_INTEGER;
        const messages = [
          { release: [id, id] },
          { cancel: [id, 'x', -id, null] },
          { abort: id, why: 1 },
          { leave: 'none' },
          { read: 'nobody asked' },
          [-id, 5],
          [-1, 5, { $: id }, 'x', { $: 'y', '!': 1 }],
        ];
        const call = frame(['add', [1, 2]]);
        expect(await victim.send([...messages.map((each) => JSON.stringify(each)), call])).toEqual({ answers: [3] });
      },
    },
    ...['1.5', '0', `${2 ** 53}`, '1e400', '-0', 'null', '"__proto__"', '[1]', '{"valueOf":1}'].map((id) =>
      ended(`the id ${id} of a frame`, () => `[${id},["increment",[]]]`),
    ),
  ],
  'birpc, Comlink': [
    {
      name: 'a client that asks for the constructor of a stub: gets none',
      async run({ worker }) {
        // Untyped: the names are not of the target's type.
        using stub = connect(worker.url(VICTIM_PATH));
        for (const name of ['ctx', 'env', 'secret', 'storage']) {
          await expect(stub[name]).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
          await expect(stub[name]()).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
        }
      },
    },
  ],
};
