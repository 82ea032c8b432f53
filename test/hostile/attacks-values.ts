import type { Message } from '@lumenize/structured-clone/messages';
import { expect } from 'vitest';
import type { Where } from './advisories.ts';
import { type Attack, answered, ended, forged, frame, refused, times } from './attack.ts';
import type { Victim } from './victim.ts';

const KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'then', 'toJSON'];
const HUGE = 2_000_000_000;

/** An object of which every key of the language is its own. */
function ofKeys(value: unknown): Record<string, unknown> {
  return Object.fromEntries(KEYS.map((key) => [key, value]));
}

/** Sends an object with keys of the language and sees it as the server does. */
const keysAreData: Attack = {
  name: 'keys of the language in data: kept as data, and no prototype changes',
  async run({ stub }: Victim) {
    const value = ofKeys({ polluted: true });
    expect(await stub.look(value)).toEqual({ keys: KEYS, isPlain: true, polluted: undefined });
    const copy = (await stub.echo(value)) as object;
    expect([Object.keys(copy), Object.getPrototypeOf(copy)]).toEqual([KEYS, Object.prototype]);
    for (const holder of [[value], new Map([[value, value]]), { at: { any: value } }]) {
      expect(await stub.echo(holder)).toEqual(holder);
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  },
};

const errorKeys: Attack = {
  name: 'an error with `__proto__`, `then` and `constructor` of its own: an error with data',
  async run({ stub }) {
    const error = new RangeError('x');
    for (const key of ['__proto__', 'then', 'constructor']) {
      Object.defineProperty(error, key, { value: { polluted: true }, enumerable: true });
    }
    const copy = (await stub.echo(error)) as RangeError;
    expect([copy instanceof RangeError, Object.getPrototypeOf(copy)]).toEqual([true, RangeError.prototype]);
    expect(Object.keys(copy)).toEqual(['__proto__', 'then', 'constructor']);
  },
};

/** Values nested in each other, deeper than may be. */
function deep(times: number, open: string, close: string): Message {
  return forged(`${open.repeat(times)}${close.repeat(times)}`);
}

const SETS = 20_000;

/** A frame of calls, each with so many lists, of two brackets each. */
function manyLists(calls: number, lists: number): Message {
  const one = `["echo",[[${'[],'.repeat(lists - 1)}[]]]]`;
  return `[1,${new Array(calls).fill(one).join()}]`;
}

export const VALUE_ATTACKS: Partial<Record<Where, readonly Attack[]>> = {
  'oRPC, Sets': [
    {
      name: 'one Set in thousands of places, with a result to be put into it: built once',
      async run(victim) {
        const set = { $Set: [...times(SETS, (n) => n), { $result: [0] }] };
        // Objects are numbered in their order: the arguments, the object, the list, the Set.
        const places = [set, ...times(SETS, () => ({ $reference: 3 }))];
        // Built anew for each place, that would be four hundred million members.
        const { answers } = await victim.send([frame(['value'], ['add', { $: [1, { places }], of: [-1] }])], 2);
        expect(answers).toEqual([expect.any(Number), '1[object Object]']);
      },
    },
    answered(
      'a Set in which one member is there a hundred thousand times: there once',
      () => forged(`{"$Set":[${'1,'.repeat(100_000)}1]}`),
      { $: { $Set: [1] } },
    ),
  ],
  seroval: [
    keysAreData,
    refused('a RegExp', () => forged('{"$RegExp":["(a+)+$","",0]}')),
    refused('a RegExp deep in an argument', () => forged('[{"a":{"$Map":[1,{"$RegExp":["a","",0]}]}}]')),
    refused('a claimed length of an array', () => forged(`{"$Array":[${HUGE}]}`), 'LIMIT_EXCEEDED'),
    ended('20,000 arrays in each other', () => deep(20_000, '[', ']')),
    ended(
      '20,000 arrays in each other, without marks',
      () => `[1,["echo",${'['.repeat(20_000)}${']'.repeat(20_000)}]]`,
    ),
    ended('20,000 Maps in each other', () => deep(20_000, '{"$Map":[', ']}')),
    ended('a reference to an entry that is not there', () => forged('{"$reference":99}')),
    ended('a mark of a name that is not known', () => forged('{"$unheard":[0]}')),
    ended('a reference to a result of another kind', () => forged('{"$result":["__proto__"]}')),
    ended('a result that is not among the addresses', () => forged('{"$result":[5]}')),
  ],
  devalue: [
    keysAreData,
    ended('a typed array over what is no buffer', () => forged('{"$Uint8Array":[{},0,1]}')),
    ended('a typed array of an unknown class', () => forged('{"$Uint7Array":[{"$bytes":1}]}', 0)),
    ended('a claimed length of bytes', () => forged(`{"$Uint8Array":[{"$bytes":${HUGE}}]}`, 0)),
    refused('a sparse array of a billion holes', () => forged('{"$Array":[1000000000]}'), 'LIMIT_EXCEEDED'),
    refused(
      'many sparse arrays of some holes',
      () => forged(`[${new Array(50).fill('{"$Array":[9000]}')}]`),
      'LIMIT_EXCEEDED',
    ),
    answered('a sparse array that is small: stays one', () => forged('{"$Array":[3,"0",1,"2",3]}'), {
      $: { $Array: [3, '0', 1, '2', 3] },
    }),
  ],
  flatted: [
    ended('20,000 levels of objects', () => deep(20_000, '{"a":', '}').toString().replace(':}', ':0}')),
    ended('20,000 levels of errors', () => deep(20_000, '{"$Error":[0,"a",', ']}').toString().replace(',]', ',0]')),
    ended('`__proto__` as the number of a reference', () => forged('{"$reference":"__proto__"}')),
    ended('`__proto__` as the name of a type', () => forged('{"$__proto__":[]}')),
    {
      name: 'a value just as deep as may be: comes back, through recursion that is bounded',
      async run({ stub }) {
        let value: unknown[] = [];
        for (let depth = 0; depth < 900; depth++) value = [value];
        let copy = (await stub.echo(value)) as unknown[];
        let depth = 0;
        for (; copy.length > 0; depth++) copy = copy[0] as unknown[];
        expect(depth).toBe(900);
      },
    },
  ],
  superjson: [keysAreData, errorKeys],
  msgpackr: [
    {
      name: 'circles of all containers: come back as circles',
      async run({ stub }) {
        const map = new Map<unknown, unknown>();
        const circle: Record<string, unknown> = { map, set: new Set([map]), list: [map] };
        map.set(circle, map).set('list', circle.list);
        circle.self = circle;
        const copy = (await stub.echo(circle)) as typeof circle;
        expect([copy.self === copy, (copy.list as unknown[])[0] === copy.map]).toEqual([true, true]);
        expect((copy.map as typeof map).get(copy)).toBe(copy.map);
      },
    },
    ended('a reference to the value that is being read, where a key must be', () =>
      forged('{"$Map":[{"$reference":500},0]}'),
    ),
    ended('50,000 extensions in each other', () => deep(50_000, '{"$value":[', ']}')),
  ],
  '@ungap/structured-clone': [
    ended('a few bytes that claim a gigabyte', () => forged('{"$Uint8Array":[{"$bytes":1000000000}]}', 0)),
    ended('a buffer that may grow to a terabyte', () => forged(`{"$ArrayBuffer":[{"$bytes":1},${2 ** 40}]}`, 0)),
    ended('two million empty lists in eight calls', () => manyLists(8, 300_000)),
    ended('an error of a class by any name', () => forged('{"$EvilError":[0]}')),
    {
      name: 'a claim of a gigabyte, a hundred times: takes no memory',
      async run(victim) {
        const before = await victim.worker.residentBytes();
        const claim = forged('{"$Uint8Array":[{"$bytes":1000000000}]}', 0);
        for (let n = 0; n < 100; n++) expect(await victim.send([claim])).toEqual({ answers: [], closed: 1007 });
        // One of them would be ten times that.
        expect((await victim.worker.residentBytes()) - before).toBeLessThan(100_000_000);
      },
    },
  ],
};
