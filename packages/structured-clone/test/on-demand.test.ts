import { encode } from '@lumenize/structured-clone';
import { createDecoderAsking } from '@lumenize/structured-clone/demand';
import { RARE } from '@lumenize/structured-clone/supply';
import { expect, test } from 'vitest';
import { sameGraph } from './graph/same-graph.ts';

const buffer = new ArrayBuffer(8);

test.each<[name: string, value: unknown]>([
  ['a buffer', buffer],
  ['two views of a buffer', [new Uint8Array(buffer, 2), new Uint16Array(buffer, 4)]],
  [
    'views of a buffer in an error in a map',
    new Map([['a', Object.assign(new Error('b'), { of: [new DataView(buffer, 1), new Int8Array(buffer)] })]]),
  ],
  ['a regular expression', { pattern: /x/g }],
  ['an array with holes', [[1, , 2]]],
  ['a URL', new Set([new URL('https://example.com/')])],
])('a decoder asks for what puts %s together, and passes on that it is not there', (_name, value) => {
  const missing = { isNotThere: true };
  const bytes = encode(value);
  let supply = () => {
    throw missing;
  };
  const decode = createDecoderAsking(() => supply());
  const values: unknown[] = [];
  const read = () => decode(bytes, (each) => values.push(each));
  expect(read).toThrow(expect.toSatisfy((error) => error === missing));
  expect(values).toEqual([]);
  supply = () => RARE as never;
  read();
  expect(sameGraph(value, values[0])).toBeUndefined();
});
