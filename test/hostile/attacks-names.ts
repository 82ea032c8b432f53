import { expect } from 'vitest';
import type { Where } from './advisories.ts';
import { type Attack, answered, failure, frame, times } from './attack.ts';

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

const NOT_FOUND = failure('METHOD_NOT_FOUND');
/** The failures of so many calls. */
const notFound = (count: number) => times(count, () => NOT_FOUND);

const unreachable: readonly Attack[] = [
  {
    name: 'names that every object has: read, called and walked, none is found',
    async run(victim) {
      for (const name of NAMES) {
        const entries = [
          [name],
          [name, []],
          [name, 'x'],
          [name, 'constructor', ['return 1']],
          [0, name],
          [0, name, []],
        ];
        const { answers } = await victim.send([frame(...entries)], entries.length);
        expect([name, answers]).toEqual([name, notFound(entries.length)]);
      }
    },
  },
  {
    name: 'walks to the constructor of functions: none arrives',
    async run(victim) {
      for (const walk of WALKS) {
        const { answers } = await victim.send([frame([...walk, ['return globalThis']], walk)], 2);
        expect([walk, answers]).toEqual([walk, notFound(2)]);
      }
    },
  },
];

/** The same on results: of data, of Maps and Sets, of functions. */
const throughResults: Attack = {
  name: 'the constructor of what methods returned: not found, be it data, a Map, a Set, a list or a function',
  async run(victim) {
    const sources = [
      ['list', []],
      ['profile', []],
      ['value'],
      ['adder', [1]],
      ['child', []],
      ['echo', [{ constructor: 1 }]],
    ];
    for (const source of sources) {
      const names = ['constructor', '__proto__', 'prototype', 'then', 'toJSON'];
      const uses = names.flatMap((name) => [
        [-1, name, ['return 1']],
        [-1, name],
        [...source, name, ['return 1']],
      ]);
      const { answers } = await victim.send([frame(source, ...uses)], 1 + uses.length);
      expect(answers.slice(1)).toEqual(notFound(uses.length));
    }
    const maps = await victim.send(
      [
        frame(
          ['profile', []],
          [-1, 'map', 'set', [1, 2]],
          [-1, 'tags', 'add', [1]],
          [-1, 'map', 'get', ['k']],
          [-1, 'map', 'constructor'],
          [-1, 'map', '__proto__', 'clear', []],
        ),
      ],
      6,
    );
    expect(maps.answers.slice(1)).toEqual(notFound(5));
  },
};

export const NAME_ATTACKS: Partial<Record<Where, readonly Attack[]>> = {
  'React Flight': [
    ...unreachable,
    {
      name: 'an object with a `then`: data, that is neither called nor awaited',
      async run(victim) {
        const thenable = { then: { $function: [7] }, status: 'resolved_model', value: '{"then":"$B0"}' };
        const { answers } = await victim.send([frame(['echo', { $: [thenable] }], ['value'])], 2);
        // A call of what is in `then` would be a frame of its own.
        expect(answers).toEqual([{ $: { ...thenable, then: { $yours: [7] } } }, expect.any(Number)]);
      },
    },
    {
      name: 'an error with a `then`: data, too',
      async run(victim) {
        const error = { $Error: [1, 'message', 'x', 'then', { $function: [7] }] };
        const { answers } = await victim.send([frame(['echo', { $: [error] }], ['value'])], 2);
        expect(answers).toEqual([
          { $: { $Error: expect.arrayContaining(['x', 'then', { $yours: [7] }]) } },
          expect.any(Number),
        ]);
      },
    },
    {
      name: 'the name of an own function of data: not more than data',
      async run(victim) {
        const { answers } = await victim.send([frame(['echo', [{ run: 'code' }]], [-1, 'run', []])], 2);
        expect(answers).toEqual([{ run: 'code' }, NOT_FOUND]);
      },
    },
  ],
  'oRPC, paths': [
    ...unreachable,
    {
      name: '`__proto__` as a step of a path to a value that is given: nothing is assigned, anywhere',
      async run(victim) {
        const paths = [
          ['__proto__', 'polluted', [true]],
          ['constructor', 'prototype', 'polluted', [true]],
          ['profile', '__proto__', 'polluted', [true]],
          ['profile', [], '__proto__', 'polluted', [true]],
        ];
        const { answers } = await victim.send([frame(...paths)], paths.length);
        expect(answers).toEqual(notFound(paths.length));
        expect(await victim.stub.look({})).toMatchObject({ polluted: undefined });
      },
    },
    {
      name: '`__proto__` as a step to a result that is an argument: fails, and the call does not run',
      async run(victim) {
        for (const path of [['__proto__'], ['owner', 'constructor', 'constructor'], ['map', 'constructor']]) {
          const use = ['increment', { $: [{ $result: [0] }], of: [-2] }];
          const { answers } = await victim.send([frame(['profile', []], [-1, ...path], use)], 3);
          expect(answers.slice(1)).toEqual(notFound(2));
        }
      },
    },
    answered(
      'a path of a million names: fails at the first that is not there',
      () => frame(['profile', [], 'owner', ...times(1_000_000, () => 'owner')]),
      failure(expect.stringMatching(/^(METHOD_NOT_FOUND|LIMIT_EXCEEDED)$/)),
    ),
  ],
  'birpc, Comlink': [...unreachable, throughResults],
};

export const THROUGH_RESULTS = throughResults;
export const UNREACHABLE = unreachable;
