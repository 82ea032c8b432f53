import {
  all,
  CloneError,
  checkText,
  common,
  fromMessage,
  isMarked,
  type Reading,
  read,
  resolveLimits,
  toMessage,
  type Writing,
  write,
} from '@lumenize/structured-clone/messages';
import { describe, expect, test } from 'vitest';

const limits = resolveLimits(undefined);

function writing(more: Partial<Writing> = {}): Writing {
  return { types: all, limits, tail: [], ...more };
}

function reading(more: Partial<Reading> = {}): Reading {
  return { types: all, limits, at: 0, ...more };
}

function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe('the text of a value', () => {
  test.each([
    ['plain data', { a: [1, 'x', null] }, '{"a":[1,"x",null]}'],
    ['a mark inside', [new Date(0)], '{"$":[{"$Date":[0]}]}'],
    ['only the key of a wrapper', { $: 1 }, '{"$":{"$":{"$":1}}}'],
    ['the key of a wrapper beside others', { $: 1, b: 2 }, '{"$":{"$":1,"b":2}}'],
    ['that key further inside', [{ $: 1, b: 2 }], '[{"$":1,"b":2}]'],
  ])('with %s is a wrapper only if it holds marks, or would be taken for one', (_what, value, text) => {
    expect(write(value, writing())).toBe(text);
    const tree: unknown = JSON.parse(text);
    expect(isMarked(tree) ? read(tree.$, reading()) : tree).toEqual(value);
  });

  test('takes further keys into its wrapper', () => {
    const text = write([undefined], writing());
    const tree = JSON.parse(`${text.slice(0, -1)},"of":[-1]}`);
    expect([isMarked(tree), read(tree.$, reading()), tree.of]).toEqual([true, [undefined], [-1]]);
  });

  test('is a wrapper if it is an object with a key of its own', () => {
    const inherited = Object.create({ $: 1 });
    const list = Object.assign([], { $: 1 });
    expect([{ $: 0, a: 1 }, inherited, list, [], null, '$', 1].map(isMarked)).toEqual([
      true,
      ...new Array(6).fill(false),
    ]);
  });

  test('is written while another one is', () => {
    const value = {
      get inner() {
        return write([new Map([[{}, 1]]), {}], writing());
      },
      again: [{}, new Date(0)],
    };
    const inner = write([new Map([[{}, 1]]), {}], writing());
    expect(write([value, value], writing())).toBe(
      write([{ ...value }, 0], writing()).replace(/0\]}$/, '{"$reference":1}]}'),
    );
    expect(value.inner).toBe(inner);
  });
});

test('a message has the length of its text in bytes, and not in characters', () => {
  const { text, tail } = fromMessage(toMessage('"é💡"', [Uint8Array.of(1, 2)]));
  expect([text, tail]).toEqual(['"é💡"', Uint8Array.of(1, 2)]);
});

describe('what is passed by reference', () => {
  class Target {}

  test('is asked for before the types, of functions and instances of classes, and not of plain data', () => {
    const asked: unknown[] = [];
    const run = () => 1;
    const target = new Target();
    const error = new TypeError('x');
    const refer = (value: object) => {
      asked.push(value);
      return value === error || value === run || value === target
        ? { name: 'target', parts: [asked.length] }
        : undefined;
    };
    const date = new Date(0);
    const value = [{ a: [Object.create(null)] }, run, target, error, date, target];
    expect(write(value, writing({ refer }))).toBe(
      '{"$":[{"a":[{"$null":{}}]},{"$target":[1]},{"$target":[2]},{"$target":[3]},{"$Date":[0]},{"$reference":5}]}',
    );
    expect(asked).toEqual([run, target, error, date]);
  });

  test('has values as its parts, with bytes, shared objects and others passed by reference', () => {
    const shared = { a: 1 };
    const inner = new Target();
    const outer = new Target();
    const refer = (value: object) =>
      value === outer
        ? { name: 'outer', parts: ['code', shared, Uint8Array.of(1, 2), inner, new Error('x', { cause: shared })] }
        : value === inner
          ? { name: 'inner', parts: [7] }
          : undefined;
    const tail: Uint8Array[] = [];
    const text = write([shared, outer], writing({ refer, tail }));
    const revived: unknown[] = [];
    const revive = (name: string, parts: unknown[]) => {
      revived.push(name, parts);
      return name;
    };
    const { tail: bytes } = fromMessage(toMessage(text, tail));
    const [copy, result] = read(JSON.parse(text).$, reading({ tail: bytes, revive })) as unknown[];
    expect(result).toBe('outer');
    expect(revived).toEqual([
      'inner',
      [7],
      'outer',
      ['code', { a: 1 }, Uint8Array.of(1, 2), 'inner', new Error('x', { cause: shared })],
    ]);
    const parts = revived[3] as [string, object, Uint8Array, string, Error];
    expect([parts[1] === copy, parts[4].cause === copy]).toEqual([true, true]);
  });

  test('is asked and revived as by a method', () => {
    const peer = {
      ...{ types: all, limits, at: 0, name: 'mine' },
      refer(value: object) {
        return typeof value === 'function' ? { name: this.name, parts: [] } : undefined;
      },
      revive(name: string) {
        return `${name} is ${this.name}`;
      },
    };
    const text = write([() => 1], { ...peer, tail: [] });
    expect(text).toBe('{"$":[{"$mine":[]}]}');
    expect(read(JSON.parse(text).$, peer)).toEqual(['mine is mine']);
  });

  test('may not lead back to itself', () => {
    const target = new Target();
    const refer = (value: object) => (value === target ? { name: 'target', parts: [[target]] } : undefined);
    expect(attempt(() => write(target, writing({ refer })))).toMatchObject({ code: 'NOT_CLONEABLE' });
    expect(attempt(() => read({ $target: [{ $reference: 0 }] }, reading({ revive: () => 1 })))).toMatchObject({
      code: 'MALFORMED',
    });
  });

  test('is refused without what revives it, and cannot stand for a type', () => {
    expect(attempt(() => read({ $target: [1] }, reading()))).toMatchObject({
      message: 'malformed: type target is unknown',
    });
    const ours = ['$', '$null', '$number', '$bigint', '$reference', '$bytes'];
    for (const name of ['$Function', '$Object', '$Target', ...ours]) {
      expect(attempt(() => read({ [name]: [1] }, reading({ revive: () => 1 })))).toBeInstanceOf(CloneError);
    }
  });
});

describe('bytes', () => {
  test('are copies, in the order of the values', () => {
    const tail = [Uint8Array.of(9)];
    const bytes = Uint8Array.of(1, 2);
    const texts = [bytes, [bytes, new Uint8Array(0)]].map((value) => write(value, writing({ tail })));
    bytes.fill(0);
    expect(tail).toEqual([Uint8Array.of(9), Uint8Array.of(1, 2), Uint8Array.of(1, 2), new Uint8Array(0)]);
    const whole = Uint8Array.of(9, 1, 2, 1, 2);
    const state = reading({ tail: whole, at: 1 });
    const values = texts.map((text) => read(JSON.parse(text).$, state));
    expect([values, state.at]).toEqual([[Uint8Array.of(1, 2), [Uint8Array.of(1, 2), new Uint8Array(0)]], 5]);
    whole.fill(0);
    expect(values[0]).toEqual(Uint8Array.of(1, 2));
  });

  test('of a buffer that two views share are there once, and disturb none before them', () => {
    const { buffer } = Uint8Array.of(1, 2, 3);
    const tail = [Uint8Array.of(8)];
    const text = write([Uint8Array.of(9), new Uint8Array(buffer), new Uint8Array(buffer, 1)], writing({ tail }));
    expect(tail).toEqual([Uint8Array.of(8), Uint8Array.of(9), Uint8Array.of(1, 2, 3)]);
    const [, first, second] = read(
      JSON.parse(text).$,
      reading({ tail: Uint8Array.of(8, 9, 1, 2, 3), at: 1 }),
    ) as Uint8Array[];
    expect([first.buffer === second.buffer, [...second]]).toEqual([true, [2, 3]]);
  });

  test('of a value that is refused are not left behind', () => {
    const tail = [Uint8Array.of(1)];
    expect(attempt(() => write([Uint8Array.of(2), Symbol('x')], writing({ tail })))).toMatchObject({
      code: 'NOT_CLONEABLE',
      path: 'value[1]',
    });
    expect(tail).toEqual([Uint8Array.of(1)]);
  });

  test.each([[-1], [0.5], [3], ['AQ=='], [null], [2 ** 53]])('are refused if there are %j of them', (length) => {
    const tree = { $Uint8Array: [{ $bytes: length }] };
    expect(attempt(() => read(tree, reading({ tail: Uint8Array.of(1, 2) })))).toMatchObject({ code: 'MALFORMED' });
  });
});

describe('errors', () => {
  test('say what is wrong and where, but not what to do, with the types of the language alone', () => {
    const refusal = attempt(() => write([new URL('http://a.test/')], writing({ types: common })));
    expect(refusal).toMatchObject({ message: 'at value[0]: instances of URL cannot be cloned', path: 'value[0]' });
    expect(() => read({ $URL: ['http://a.test/'] }, reading({ types: common }))).toThrow('type URL is unknown');
  });

  test('travel with their stacks only if these are asked for', () => {
    const error = new Error('x');
    for (const stacks of [false, true]) {
      const copy = read(JSON.parse(write(error, writing({ stacks }))).$, reading()) as Error;
      expect(copy.stack).toBe(stacks ? error.stack : 'Error: x');
    }
  });
});

describe('the check of a text', () => {
  const few = resolveLimits({ maxDepth: 3, maxObjects: 10 });
  const nested = (times: number) => `${'['.repeat(times)}${']'.repeat(times)}`;

  test.each<[string, string, 1 | 2]>([
    ['as deep as values may be', nested(3), 1],
    ['as deep as values with marks may be', nested(8), 2],
    ['with as many objects', `[${new Array(9).fill('{}')}]`, 1],
    ['with as many marks and lists', `[${new Array(10).fill('{"$Set":[]}')}]`, 2],
    ['with marks that are no objects', `[${new Array(100).fill('{"$undefined":0}')}]`, 2],
    ['with brackets in strings', `["${'[{'.repeat(100)}","\\"${'['.repeat(100)}","\\\\"]`, 1],
    ['that is not JSON', `"${'['.repeat(100)}`, 1],
  ])('lets a text pass %s', (_what, text, factor) => {
    expect(() => checkText(text, few, 0, factor)).not.toThrow();
  });

  test.each<[string, string, 1 | 2, string]>([
    ['deeper', nested(4), 1, 'maxDepth of 3 exceeded'],
    ['deeper than with marks', nested(9), 2, 'maxDepth of 3 exceeded'],
    ['behind a string that ends with a backslash', `["\\\\",${nested(3)}]`, 1, 'maxDepth of 3 exceeded'],
    ['with more objects', `[${new Array(10).fill('{}')}]`, 1, 'maxObjects of 10 exceeded'],
    ['with more marks and lists', `[${new Array(11).fill('{"$Set":[]}')},[]]`, 2, 'maxObjects of 10 exceeded'],
  ])('refuses a text %s', (_what, text, factor, message) => {
    expect(attempt(() => checkText(text, few, 0, factor))).toMatchObject({ code: 'LIMIT_EXCEEDED', message });
  });

  test('counts the bytes of the text as UTF-8, and those behind it', () => {
    const ten = resolveLimits({ maxBytes: 10 });
    expect(() => checkText('"éé"', ten, 4)).not.toThrow();
    for (const [text, others] of [
      ['"éé"', 5],
      ['12345678901', 0],
    ] as const) {
      expect(() => checkText(text, ten, others)).toThrow('maxBytes of 10 exceeded');
    }
  });
});
