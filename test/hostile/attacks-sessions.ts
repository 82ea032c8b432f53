import { connect } from '@lumenize/rpc';
import { expect } from 'vitest';
import { referenceAddress, stepAddress } from '../../packages/rpc/src/protocol/address.ts';
import { writeResent } from '../../packages/rpc/src/protocol/resent.ts';
import { ACKNOWLEDGE, CANCEL, FORGET, RELEASE, STEPS } from '../../packages/rpc/src/protocol/signal.ts';
import * as extension from '../../packages/rpc/src/protocol/tags.ts';
import { CHANNELS, REVERSED } from '../../packages/rpc/src/protocol/tags.ts';
import { sequence } from '../../packages/rpc/test/support/frames.ts';
import type { Where } from './advisories.ts';
import { type Attack, answered, call, extended, failure, forged, frame, refused } from './attack.ts';
import { THROUGH_RESULTS, UNREACHABLE } from './attacks-names.ts';
import { VICTIM_PATH } from './paths.ts';

/** What looks like the words of some protocol: this one's, its text form's, its predecessor's, others'. */
const MARKERS: readonly unknown[] = [
  [0, ['increment'], []],
  [1, [0, 'increment', []]],
  [-1, 0],
  [2, ['DENIED', 'no', 0]],
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

export const SESSION_ATTACKS: Partial<Record<Where, readonly Attack[]>> = {
  'React Flight': [
    {
      name: 'a frame of the most operations that may be: answered, while others are served',
      async run(victim) {
        const reads = Array.from({ length: 10_000 }, () => [0, 'value']);
        const { entries } = await victim.send([frame(...reads)], reads.length);
        expect(entries.length).toBe(reads.length);
      },
    },
    {
      name: 'calls sent again that name one place millions of times: the connection is closed, before any search',
      async run(victim) {
        const reads = frame(...Array.from({ length: 10_000 }, () => [0, 'value']));
        expect(await victim.send([writeResent(0, new Array(1_500_000).fill(9999), reads)])).toEqual({
          entries: [],
          closed: 1007,
        });
      },
    },
    {
      name: 'hundreds of thousands of acknowledgements of what was never stored: ignored after some',
      async run(victim) {
        const ids = Array.from({ length: 900_000 }, (_, id) => 1000 + id);
        const { entries } = await victim.send(
          [frame(call(0, 'once', 1), [ACKNOWLEDGE, ...ids]), frame([0, 'value'])],
          2,
        );
        expect(entries.at(-1)).toEqual([expect.any(Number)]);
      },
    },
    answered(
      'a frame of one operation more: nothing runs',
      () => frame(...Array.from({ length: 10_001 }, () => call(0, 'increment'))),
      [2, ['LIMIT_EXCEEDED', expect.any(String), 10_000]],
    ),
  ],
  'Lumenize before': [
    ...UNREACHABLE,
    THROUGH_RESULTS,
    refused('a type by the name of a global', () => forged('{"$Function":["return 1"]}')),
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
        const chain = frame(
          call(0, 'child'),
          call(1, 'increment', 5),
          call(2, 'self'),
          call(1, 'add', extended(extension.RESULT, 2), 1),
          [STEPS, 0, 2],
        );
        const { entries } = await victim.send([chain], 2);
        expect(entries[0]).toEqual([before + 5]);
        await victim.stub.increment(-5);
      },
    },
    {
      name: 'a result that cannot be encoded: answered with an error, and so are those beside it',
      async run(victim) {
        const error = await victim.stub.refuses().catch((reason: unknown) => reason);
        expect(error).toMatchObject({ code: 'NOT_CLONEABLE', message: expect.stringContaining('refuses') });
        const { entries } = await victim.send([frame(call(0, 'refuses'), call(0, 'add', 1, 2))], 2);
        expect(entries).toEqual([failure('NOT_CLONEABLE'), [3]]);
      },
    },
  ],
  "Cap'n Web": [
    {
      name: 'references beyond the cap: the calls that would make them fail',
      async run(victim) {
        const frames = Array.from({ length: 3 }, (_, n) =>
          sequence(1 + n * 10_000, ...Array.from({ length: 10_000 }, () => call(0, 'child'))),
        );
        const { entries } = await victim.send(frames, 30_000);
        const failed = entries.filter((entry) => Array.isArray(entry) && entry[0] === 1);
        expect([entries.length, failed.length]).toEqual([30_000, 10_000]);
        expect(failed[0]).toEqual(failure('LIMIT_EXCEEDED', expect.stringContaining('maxReferences')));
      },
    },
    {
      name: 'functions beyond the cap: the frame that brings them is refused',
      async run(victim) {
        const functions = Array.from({ length: 20_001 }, (_, id) => extended(extension.FUNCTION, id));
        const { entries } = await victim.send([frame(call(0, 'echo', functions))]);
        expect(entries).toEqual([[2, ['LIMIT_EXCEEDED', expect.stringContaining('maxReferences'), 0]]]);
      },
    },
    {
      name: 'calls that never end, beyond the cap: do not begin, whatever their ids',
      async run(victim) {
        for (const idOf of [(n: number) => 1 + n * 600, () => 1]) {
          const frames = Array.from({ length: 3 }, (_, n) =>
            sequence(idOf(n), ...Array.from({ length: 600 }, () => call(0, 'never'))),
          );
          const { entries } = await victim.send(frames, 800);
          expect(entries.filter(Array.isArray)).toEqual(
            new Array(800).fill(failure('OVERLOADED', expect.stringContaining('maxCallsInFlight'))),
          );
        }
      },
    },
    {
      name: 'channels beyond the cap: the frame that brings them is refused',
      async run(victim) {
        const streams = Array.from({ length: 1001 }, (_, id) => extended(extension.READABLE, id));
        const { entries } = await victim.send([frame(call(0, 'echo', streams))], 1001);
        // The ends of those that had begun come before.
        expect(entries.slice(-1)).toEqual([[2, ['LIMIT_EXCEEDED', expect.stringContaining('maxChannels'), 0]]]);
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
      name: 'huge ids of calls: answered under them',
      async run(victim) {
        for (const id of HUGE_IDS) {
          const { entries } = await victim.send([sequence(id, call(0, 'add', 1, 2))]);
          expect(entries).toEqual([[3]]);
        }
      },
    },
    {
      name: 'huge ids of references and of steps: lost, and nothing runs',
      async run(victim) {
        for (const id of HUGE_IDS.map((huge) => Math.floor(huge / 4))) {
          const calls = [call(referenceAddress(id), 'increment'), call(stepAddress(id), 'increment')];
          const { entries } = await victim.send([frame(...calls)], 2);
          expect(entries).toEqual([failure('REFERENCE_LOST'), failure('REFERENCE_LOST')]);
        }
      },
    },
    {
      name: 'huge ids in signals, of channels and in results: nothing that anybody notices',
      async run(victim) {
        const id = Number.MAX_SAFE_INTEGER;
        const frames = [
          frame([RELEASE, id, id], [FORGET, id], [CANCEL, id, 'x']),
          sequence(CHANNELS, [id, 0, 'chunk'], [-id, 3, id]),
          sequence(REVERSED, id - 9, ['nobody asked'], 5, [0, 'x']),
          frame(call(0, 'add', 1, 2)),
        ];
        expect(await victim.send(frames)).toEqual({ entries: [[3]] });
      },
    },
    {
      name: 'ids that are no integers, negative, or beyond what a double counts: the connection is closed',
      async run(victim) {
        for (const id of [1.5, -77, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, 10n ** 30n, '__proto__', null]) {
          expect([id, (await victim.send([sequence(id, call(0, 'increment'))])).closed]).toEqual([id, 1007]);
        }
      },
    },
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
