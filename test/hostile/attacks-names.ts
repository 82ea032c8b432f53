import { expect } from 'vitest';
import { FUNCTION, RESULT } from '../../packages/rpc/src/protocol/tags.ts';
import type { Where } from './advisories.ts';
import { type Attack, answered, call, extended, failure, frame } from './attack.ts';

/** Names that every object has, or that the object behind the target has. */
const NAMES = [
  'constructor',
  '__proto__',
  'prototype',
  'then',
  'toString',
  'valueOf',
  'toJSON',
  'hasOwnProperty',
  '__defineGetter__',
  '__lookupGetter__',
  'isPrototypeOf',
  'ctx',
  'env',
  'secret',
  '#counts',
  'target',
  'fetch',
  'rpcOptions',
  'webSocketMessage',
  'storage',
];

/** Walks that would end at a function that makes functions. */
const WALKS = [
  ['constructor', 'constructor'],
  ['self', 'constructor'],
  ['__proto__', '__proto__'],
  ['__proto__', 'constructor', 'constructor'],
  ['value', 'constructor', 'constructor'],
  ['received', '__proto__', 'polluted'],
  ['increment', 'constructor'],
  ['increment', 'call', 'constructor'],
  ['increment', 'prototype'],
];

const unreachable: readonly Attack[] = [
  {
    name: 'names that every object has: read, called and walked, none is found',
    async run(victim) {
      for (const name of NAMES) {
        const reads = [[0, name], call(0, name), [0, [name, 'x']], call(0, [name, 'constructor'], 'return 1')];
        const { entries } = await victim.send([frame(...reads)], reads.length);
        expect([name, entries]).toEqual([name, reads.map(() => failure('METHOD_NOT_FOUND'))]);
      }
    },
  },
  {
    name: 'walks to the constructor of functions: none arrives',
    async run(victim) {
      for (const walk of WALKS) {
        const { entries } = await victim.send([frame(call(0, walk, 'return globalThis'), [0, walk])], 2);
        // Of a primitive a property is undefined; nothing is ever called.
        for (const entry of entries) expect([failure('METHOD_NOT_FOUND'), [], [undefined]]).toContainEqual(entry);
        expect(entries[0]).toEqual(failure('METHOD_NOT_FOUND'));
      }
    },
  },
];

/** The same by operations, on results: of data, of Maps and Sets, of functions. */
const throughResults: Attack = {
  name: 'the constructor of what methods returned: not found, be it data, a Map, a Set, a list or a function',
  async run(victim) {
    const sources = [
      call(0, 'list'),
      call(0, 'profile'),
      [0, 'value'],
      call(0, 'adder', 1),
      call(0, 'child'),
      call(0, 'echo', { constructor: 1 }),
    ];
    for (const source of sources) {
      const names = ['constructor', '__proto__', 'prototype', 'then', 'toJSON'];
      const calls = names.map((name, place) => call(place + 1, name, 'return 1'));
      const { entries } = await victim.send([frame(source, ...calls, [-1, 0])], calls.length);
      expect(entries).toEqual(calls.map(() => failure('METHOD_NOT_FOUND')));
    }
    const maps = await victim.send(
      [
        frame(
          call(0, 'profile'),
          call(1, ['map', 'set'], 1, 2),
          call(2, ['tags', 'add'], 1),
          call(3, ['map', 'constructor']),
          [-1, 0],
        ),
      ],
      3,
    );
    expect(maps.entries).toEqual(new Array(3).fill(failure('METHOD_NOT_FOUND')));
  },
};

export const NAME_ATTACKS: Partial<Record<Where, readonly Attack[]>> = {
  'React Flight': [
    ...unreachable,
    {
      name: 'an object with a `then`: data, that is neither called nor awaited',
      async run(victim) {
        const thenable = { then: extended(FUNCTION, 7), status: 'resolved_model', value: '{"then":"$B0"}' };
        const { entries } = await victim.send([frame(call(0, 'echo', thenable), [0, 'value'])], 2);
        // A call of what is in `then` would be a frame of its own.
        expect(entries).toEqual([
          [{ ...thenable, then: { name: RESULT, parts: [-16 - 2 * 7] } }],
          [expect.any(Number)],
        ]);
      },
    },
    {
      name: 'an error with a `then`: data, too',
      async run(victim) {
        const error = Object.assign(new Error('x'), { then: extended(FUNCTION, 7) });
        const { entries } = await victim.send([frame(call(0, 'echo', error), [0, 'value'])], 2);
        expect(entries).toEqual([[expect.objectContaining({ message: 'x' })], [expect.any(Number)]]);
      },
    },
    answered(
      'the name of an own function of data: not more than data',
      () => frame(call(0, 'echo', { run: 'code' }), call(1, 'run'), [-1, 0]),
      failure('METHOD_NOT_FOUND'),
    ),
  ],
  'oRPC, paths': [
    ...unreachable,
    {
      name: '`__proto__` as a step of a path to a value that is given: nothing is assigned, anywhere',
      async run(victim) {
        const paths = [
          ['__proto__', 'polluted'],
          ['constructor', 'prototype', 'polluted'],
          ['profile', '__proto__', 'polluted'],
        ];
        const { entries } = await victim.send([frame(...paths.map((path) => call(0, path, true)))], paths.length);
        expect(entries).toEqual(paths.map(() => failure('METHOD_NOT_FOUND')));
        expect(await victim.stub.look({})).toMatchObject({ polluted: undefined });
      },
    },
    {
      name: '`__proto__` as a step to a result that is an argument: fails, and the call does not run',
      async run(victim) {
        for (const path of [['__proto__'], ['owner', 'constructor', 'constructor'], ['map', 'constructor']]) {
          const through = extended(RESULT, 1, ...path);
          const { entries } = await victim.send([frame(call(0, 'profile'), call(0, 'increment', through), [-1, 0])]);
          expect(entries).toEqual([failure('METHOD_NOT_FOUND')]);
        }
      },
    },
    answered('a path of 65 names: refused before it is walked', () => frame([0, new Array(65).fill('self')]), [
      2,
      ['MALFORMED_FRAME', expect.stringContaining('64'), 0],
    ]),
  ],
  'birpc, Comlink': [...unreachable, throughResults],
};

export const THROUGH_RESULTS = throughResults;
export const UNREACHABLE = unreachable;
