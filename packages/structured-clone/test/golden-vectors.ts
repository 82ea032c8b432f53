/** A value with its encodings. Formats change by adding: these stay as they are, or stored data becomes unreadable. */
export interface GoldenVector {
  name: string;
  make: () => unknown;
  /** Hexadecimal. */
  bytes: string;
  text: string;
}

export const GOLDEN: readonly GoldenVector[] = [
  { name: 'a small integer', make: () => 5, bytes: '05 00', text: '5' },
  { name: 'an integer', make: () => 300, bytes: '1f 8d 02 00', text: '300' },
  { name: 'a negative integer', make: () => -2, bytes: '22 00', text: '-2' },
  { name: '-0', make: () => -0, bytes: 'e4 00 00 00 00 00 00 00 80 00', text: '{"$":{"$number":"-0"}}' },
  { name: 'hundredths', make: () => 19.99, bytes: 'e5 9e 1f 00', text: '19.99' },
  { name: 'a float', make: () => Math.PI, bytes: 'e4 18 2d 44 54 fb 21 09 40 00', text: '3.141592653589793' },
  { name: 'NaN', make: () => Number.NaN, bytes: 'e4 00 00 00 00 00 00 f8 7f 00', text: '{"$":{"$number":"NaN"}}' },
  { name: 'true', make: () => true, bytes: 'e3 00', text: 'true' },
  { name: 'null', make: () => null, bytes: 'e1 00', text: 'null' },
  { name: 'undefined', make: () => undefined, bytes: 'e0 00', text: '{"$":{"$undefined":0}}' },
  { name: 'a bigint', make: () => -258n, bytes: 'e6 44 2d 32 35 38 04', text: '{"$":{"$bigint":"-258"}}' },
  { name: 'a string', make: () => 'abc', bytes: '43 61 62 63 03', text: '"abc"' },
  { name: 'text that is not ASCII', make: () => 'é😀', bytes: '43 c3 a9 f0 9f 98 80 06', text: '"é😀"' },
  { name: 'a lone surrogate', make: () => '\uD800', bytes: '41 00 d8 00 00 00 02 fe', text: '"\\ud800"' },
  { name: 'a string used again', make: () => ['abc', 'abc'], bytes: '82 43 60 61 62 63 03', text: '["abc","abc"]' },
  { name: 'an array', make: () => [1, [], 'x'], bytes: '83 01 80 41 78 01', text: '[1,[],"x"]' },
  {
    name: 'holes',
    make: () => Object.assign(new Array(3), { 1: true }),
    bytes: 'f7 03 03 41 e3 31 01',
    text: '{"$":{"$Array":[3,"1",true]}}',
  },
  {
    name: 'an object',
    make: () => ({ a: 1, b: 'x' }),
    bytes: 'a0 04 01 01 01 41 61 62 78 03',
    text: '{"a":1,"b":"x"}',
  },
  {
    name: 'rows',
    make: () => [{ id: 1 }, { id: 2 }],
    bytes: '82 a0 02 02 01 a0 02 69 64 02',
    text: '[{"id":1},{"id":2}]',
  },
  {
    name: 'keys with a dollar sign',
    make: () => ({ $a: 1 }),
    bytes: 'a0 02 02 01 24 61 02',
    text: '{"$":{"$":{"$a":1}}}',
  },
  { name: 'a Map', make: () => new Map([['k', 1]]), bytes: 'ea 02 41 01 6b 01', text: '{"$":{"$Map":["k",1]}}' },
  { name: 'a Set', make: () => new Set([1, 2]), bytes: 'eb 02 01 02 00', text: '{"$":{"$Set":[1,2]}}' },
  { name: 'a date', make: () => new Date(1000), bytes: 'f9 1f c9 07 00', text: '{"$":{"$Date":[1000]}}' },
  {
    name: 'a RegExp',
    make: () => /a+/gi,
    bytes: 'fb 42 42 00 61 2b 67 69 04',
    text: '{"$":{"$RegExp":["a+","gi",0]}}',
  },
  {
    name: 'an error',
    make: () => Object.assign(new TypeError('no', { cause: 1 }), { code: 'E' }),
    bytes: 'f1 07 02 47 42 45 01 44 41 6d 65 73 73 61 67 65 6e 6f 63 61 75 73 65 63 6f 64 65 45 13',
    text: '{"$":{"$TypeError":[2,"message","no","cause",1,"code","E"]}}',
  },
  { name: 'an error without a message', make: () => new Error(), bytes: 'ec 01 00 00', text: '{"$":{"$Error":[0]}}' },
  {
    name: 'a suppressed error',
    make: () => new SuppressedError(1, 2, 'both'),
    bytes:
      'ec 09 04 44 4f 47 44 45 01 4a 02 6e 61 6d 65 53 75 70 70 72 65 73 73 65 64 45 72 72 6f 72 6d 65 73 73 61 67 65 62 6f 74 68 65 72 72 6f 72 73 75 70 70 72 65 73 73 65 64 2d',
    text: '{"$":{"$Error":[4,"name","SuppressedError","message","both","error",1,"suppressed",2]}}',
  },
  {
    name: 'an ArrayBuffer',
    make: () => new Uint8Array([1, 2]).buffer,
    bytes: 'fa e2 02 02 01 02 00',
    text: '{"$":{"$ArrayBuffer":[{"$bytes":"AQI="}]}}',
  },
  {
    name: 'bytes',
    make: () => new Uint8Array([1, 2]),
    bytes: 'f8 00 02 01 02 00',
    text: '{"$":{"$Uint8Array":[{"$bytes":"AQI="}]}}',
  },
  {
    name: 'floats',
    make: () => new Float32Array([1]),
    bytes: 'f8 0e 04 00 00 80 3f 00',
    text: '{"$":{"$Float32Array":[{"$bytes":"AACAPw=="}]}}',
  },
  {
    name: 'a shared object and a cycle',
    make: () => {
      const list: unknown[] = [{ a: 1 }];
      list.push(list[0], list);
      return list;
    },
    bytes: '83 a0 02 01 01 c1 c0 61 01',
    text: '{"$":[{"a":1},{"$reference":1},{"$reference":0}]}',
  },
  {
    name: 'a block of numbers',
    make: () => Array.from({ length: 16 }, (_, n) => n * 100),
    bytes:
      'e8 06 1f 01 00 00 64 00 c8 00 2c 01 90 01 f4 01 58 02 bc 02 20 03 84 03 e8 03 4c 04 b0 04 14 05 78 05 dc 05 00',
    text: '[0,100,200,300,400,500,600,700,800,900,1000,1100,1200,1300,1400,1500]',
  },
  {
    name: 'text that suits UTF-16',
    make: () => '日本語'.repeat(86),
    bytes:
      '5f e3 01 e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a e5 65 2c 67 9e 8a 00 00 02 04 fe',
    text: '"日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語"',
  },
  {
    name: 'named properties of an array',
    make: () => Object.assign([1], { x: 2 }),
    bytes: 'f7 05 01 41 01 41 02 30 78 02',
    text: '{"$":{"$Array":[1,"0",1,"x",2]}}',
  },
  {
    name: 'containers nested deep',
    make: () => nested(66),
    bytes:
      '81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 81 80 00',
    text: '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]',
  },
  { name: 'a boxed string', make: () => Object('abc'), bytes: 'fe 43 61 62 63 03', text: '{"$":{"$String":["abc"]}}' },
  {
    name: 'a boxed bigint',
    make: () => Object(5n),
    bytes: 'ff 01 e6 41 35 01',
    text: '{"$":{"$BigInt":[{"$bigint":"5"}]}}',
  },
  {
    name: 'a DOMException',
    make: () => new DOMException('no', 'AbortError'),
    bytes: 'fc 42 4a e0 6e 6f 41 62 6f 72 74 45 72 72 6f 72 0c',
    text: '{"$":{"$DOMException":["no","AbortError"]}}',
  },
  {
    name: 'a URL',
    make: () => new URL('https://a.example/b'),
    bytes: 'ff 02 53 68 74 74 70 73 3a 2f 2f 61 2e 65 78 61 6d 70 6c 65 2f 62 13',
    text: '{"$":{"$URL":["https://a.example/b"]}}',
  },
  {
    name: 'search parameters',
    make: () => new URLSearchParams('a=1&a=2'),
    bytes: 'f4 04 41 41 41 41 61 31 61 32 04',
    text: '{"$":{"$URLSearchParams":["a","1","a","2"]}}',
  },
  {
    name: 'headers',
    make: () => new Headers([['a', 'b']]),
    bytes: 'f5 02 41 41 61 62 02',
    text: '{"$":{"$Headers":["a","b"]}}',
  },
  {
    name: 'a response without body',
    make: () => new Response(null, { status: 204 }),
    bytes: 'ff 04 1f ad 01 40 f5 00 e1 00',
    text: '{"$":{"$Response":[204,"",{"$Headers":[]},null]}}',
  },
  {
    name: 'a resizable buffer and a view that follows it',
    make: () => new Uint8Array(new ArrayBuffer(2, { maxByteLength: 8 })),
    bytes: 'e9 f8 01 fa e3 08 02 00 00 00 e0 00',
    text: '{"$":{"$Uint8Array":[{"$ArrayBuffer":[{"$bytes":"AAA="},8]},0,{"$undefined":0}]}}',
  },
];

/** An array in an array in an array, so many times. */
function nested(depth: number): unknown[] {
  return depth === 0 ? [] : [nested(depth - 1)];
}
