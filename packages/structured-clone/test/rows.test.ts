import { CloneError, type DecodeOptions, type EncodeOptions } from '@lumenize/structured-clone';
import {
  common,
  createTypes,
  fromMessage,
  type Row,
  readText,
  registered,
  textOf,
  toMessage,
  web,
} from '@lumenize/structured-clone/messages';
import { describe, expect, test } from 'vitest';
import { fromBase64, toBase64 } from '../src/core/base64.ts';
import { attempt } from './attempt.ts';

class Colour {
  readonly rgb: Uint8Array;
  constructor(rgb: Uint8Array) {
    this.rgb = rgb;
  }
}

/** What a new type of values takes: one row, for both forms and both directions. */
const colour: Row = {
  name: 'colour',
  is: (value) => value instanceof Colour,
  parts: ({ rgb }: Colour) => [rgb],
  make([rgb]) {
    if (!(rgb instanceof Uint8Array) || rgb.length !== 3) throw new CloneError('MALFORMED', 'this is no colour');
    return new Colour(rgb);
  },
};

/** What a protocol keeps where it is: it travels as a number. */
const kept: unknown[] = [];
const OPTIONS: EncodeOptions & DecodeOptions = {
  extend: (value) => (typeof value === 'function' ? { name: 'kept', parts: [kept.push(value) - 1] } : undefined),
  revive(name, [number]) {
    if (name !== 'kept' || !((number as number) in kept)) throw new RangeError(`nothing is ${name} as ${number}`);
    return kept[number as number];
  },
};

const types = createTypes(common, web, registered, () => [colour]);

const FORMS = [
  {
    name: 'text',
    trip(value: unknown): unknown {
      const text = textOf(value, { types, base64: toBase64 }, OPTIONS);
      return readText(text, { types, base64: fromBase64 }, OPTIONS);
    },
  },
  {
    name: 'message',
    trip(value: unknown): unknown {
      const sent: Uint8Array[] = [];
      const { text, tail } = fromMessage(toMessage(textOf(value, { types, tail: sent }, OPTIONS), sent));
      return readText(text, { types, tail }, OPTIONS);
    },
  },
];

describe.each(FORMS)('with a row of its own, as $name', ({ trip }) => {
  test('a type arrives as it left, wherever it is, and once', () => {
    const red = new Colour(Uint8Array.of(255, 0, 0));
    const copy = trip({ red, all: new Map([[red, [red]]]) }) as { red: Colour; all: Map<Colour, Colour[]> };
    expect(copy.red).toBeInstanceOf(Colour);
    expect([...copy.red.rgb]).toEqual([255, 0, 0]);
    expect(copy.all.get(copy.red)).toEqual([copy.red]);
  });

  test('what stays where it is is found by its number', () => {
    const run = () => 1;
    const { list, again } = trip({ list: [run], again: run }) as { list: unknown[]; again: unknown };
    expect([list[0], again]).toEqual([run, run]);
  });

  test('errors of its own pass through, and leading back to it is refused', () => {
    expect(() => trip(new Colour(Uint8Array.of(1)))).toThrow('this is no colour');
    const cyclic = new Colour(Object.assign([] as unknown as Uint8Array));
    (cyclic.rgb as unknown as unknown[]).push(cyclic);
    expect(attempt(() => trip(cyclic))).toMatchObject({ code: 'NOT_CLONEABLE' });
  });
});

test('a number that stands for nothing is refused as the options say', () => {
  expect(() => readText('{"$":{"$kept":[99]}}', { types }, OPTIONS)).toThrow('nothing is kept as 99');
});

test('a type whose row a side does not have is refused by its name', () => {
  expect(() => readText('{"$":{"$URL":["http://a/"]}}', { types: createTypes(common) })).toThrow('type URL is unknown');
  expect(() => textOf(new URL('http://a/'), { types: createTypes(common) })).toThrow(
    'instances of URL cannot be cloned',
  );
});

test('a table is made once, for the first value that JSON cannot represent', () => {
  let tables = 0;
  const types = createTypes(() => {
    tables++;
    return common();
  });
  const roundTrip = (value: unknown) => readText(textOf(value, { types }), { types });
  expect(roundTrip({ plain: [1, 'x', null] })).toEqual({ plain: [1, 'x', null] });
  expect(tables).toBe(0);
  expect([roundTrip(new Date(0)), roundTrip(new Set([1]))]).toEqual([new Date(0), new Set([1])]);
  expect(tables).toBe(1);
});
