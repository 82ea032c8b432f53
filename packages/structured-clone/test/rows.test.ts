import { CloneError } from '@lumenize/structured-clone';
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

/** What a protocol keeps where it is: it travels as a number, which each side knows by its peer. */
interface Peer {
  readonly kept: unknown[];
}

const kept: Row = {
  name: 'kept',
  is: (value) => typeof value === 'function',
  parts: (value, { peer }) => [(peer as Peer).kept.push(value) - 1],
  make([number], { peer }) {
    if (!(number in (peer as Peer).kept)) throw new RangeError(`nothing is kept as ${number}`);
    return (peer as Peer).kept[number];
  },
};

const types = createTypes(common, web, registered, () => [colour, kept]);
const peer: Peer = { kept: [] };

const FORMS = [
  {
    name: 'text',
    trip(value: unknown): unknown {
      const text = textOf(value, { types, peer, base64: toBase64 });
      return readText(text, { types, peer, base64: fromBase64 });
    },
  },
  {
    name: 'message',
    trip(value: unknown): unknown {
      const sent: Uint8Array[] = [];
      const { text, tail } = fromMessage(toMessage(textOf(value, { types, peer, tail: sent }), sent));
      return readText(text, { types, peer, tail });
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

  test('what stays where it is is found by the peer', () => {
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

test('a number that stands for nothing is refused as the row says', () => {
  expect(() => readText('{"$":{"$kept":[99]}}', { types, peer })).toThrow('nothing is kept as 99');
});

test('a type whose row a side does not have is refused by its name', () => {
  expect(() => readText('{"$":{"$URL":["http://a/"]}}', { types: createTypes(common) })).toThrow('type URL is unknown');
  expect(() => textOf(new URL('http://a/'), { types: createTypes(common) })).toThrow(
    'instances of URL cannot be cloned',
  );
});
