/** A value with its text. The format changes by adding: these stay as they are, or stored data becomes unreadable. */
export interface GoldenVector {
  name: string;
  make: () => unknown;
  text: string;
}

export const GOLDEN: readonly GoldenVector[] = [
  { name: 'a small integer', make: () => 5, text: '5' },
  { name: 'an integer', make: () => 300, text: '300' },
  { name: 'a negative integer', make: () => -2, text: '-2' },
  { name: '-0', make: () => -0, text: '{"$":{"$number":"-0"}}' },
  { name: 'hundredths', make: () => 19.99, text: '19.99' },
  { name: 'a float', make: () => Math.PI, text: '3.141592653589793' },
  { name: 'NaN', make: () => Number.NaN, text: '{"$":{"$number":"NaN"}}' },
  { name: 'true', make: () => true, text: 'true' },
  { name: 'null', make: () => null, text: 'null' },
  { name: 'undefined', make: () => undefined, text: '{"$":{"$undefined":0}}' },
  { name: 'a bigint', make: () => -258n, text: '{"$":{"$bigint":"-258"}}' },
  { name: 'a string', make: () => 'abc', text: '"abc"' },
  { name: 'text that is not ASCII', make: () => 'é😀', text: '"é😀"' },
  { name: 'a lone surrogate', make: () => '\uD800', text: '"\\ud800"' },
  { name: 'a string used again', make: () => ['abc', 'abc'], text: '["abc","abc"]' },
  { name: 'an array', make: () => [1, [], 'x'], text: '[1,[],"x"]' },
  {
    name: 'holes',
    make: () => Object.assign(new Array(3), { 1: true }),

    text: '{"$":{"$Array":[3,"1",true]}}',
  },
  {
    name: 'an object',
    make: () => ({ a: 1, b: 'x' }),

    text: '{"a":1,"b":"x"}',
  },
  {
    name: 'rows',
    make: () => [{ id: 1 }, { id: 2 }],

    text: '[{"id":1},{"id":2}]',
  },
  {
    name: 'keys with a dollar sign',
    make: () => ({ $a: 1 }),

    text: '{"$":{"$":{"$a":1}}}',
  },
  { name: 'a Map', make: () => new Map([['k', 1]]), text: '{"$":{"$Map":["k",1]}}' },
  { name: 'a Set', make: () => new Set([1, 2]), text: '{"$":{"$Set":[1,2]}}' },
  { name: 'a date', make: () => new Date(1000), text: '{"$":{"$Date":[1000]}}' },
  {
    name: 'a RegExp',
    make: () => /a+/gi,

    text: '{"$":{"$RegExp":["a+","gi",0]}}',
  },
  {
    name: 'an error',
    make: () => Object.assign(new TypeError('no', { cause: 1 }), { code: 'E' }),

    text: '{"$":{"$TypeError":[2,"message","no","cause",1,"code","E"]}}',
  },
  { name: 'an error without a message', make: () => new Error(), text: '{"$":{"$Error":[0]}}' },
  {
    name: 'a suppressed error',
    make: () => new SuppressedError(1, 2, 'both'),
    text: '{"$":{"$Error":[4,"name","SuppressedError","message","both","error",1,"suppressed",2]}}',
  },
  {
    name: 'an ArrayBuffer',
    make: () => new Uint8Array([1, 2]).buffer,

    text: '{"$":{"$ArrayBuffer":[{"$bytes":"AQI="}]}}',
  },
  {
    name: 'bytes',
    make: () => new Uint8Array([1, 2]),

    text: '{"$":{"$Uint8Array":[{"$bytes":"AQI="}]}}',
  },
  {
    name: 'floats',
    make: () => new Float32Array([1]),

    text: '{"$":{"$Float32Array":[{"$bytes":"AACAPw=="}]}}',
  },
  {
    name: 'a shared object and a cycle',
    make: () => {
      const list: unknown[] = [{ a: 1 }];
      list.push(list[0], list);
      return list;
    },

    text: '{"$":[{"a":1},{"$reference":1},{"$reference":0}]}',
  },
  {
    name: 'a block of numbers',
    make: () => Array.from({ length: 16 }, (_, n) => n * 100),
    text: '[0,100,200,300,400,500,600,700,800,900,1000,1100,1200,1300,1400,1500]',
  },
  {
    name: 'text that suits UTF-16',
    make: () => '日本語'.repeat(86),
    text: '"日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語"',
  },
  {
    name: 'named properties of an array',
    make: () => Object.assign([1], { x: 2 }),

    text: '{"$":{"$Array":[1,"0",1,"x",2]}}',
  },
  {
    name: 'containers nested deep',
    make: () => nested(66),
    text: '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]',
  },
  { name: 'a boxed string', make: () => Object('abc'), text: '{"$":{"$String":["abc"]}}' },
  {
    name: 'a boxed bigint',
    make: () => Object(5n),

    text: '{"$":{"$BigInt":[{"$bigint":"5"}]}}',
  },
  {
    name: 'a DOMException',
    make: () => new DOMException('no', 'AbortError'),

    text: '{"$":{"$DOMException":["no","AbortError"]}}',
  },
  {
    name: 'a URL',
    make: () => new URL('https://a.example/b'),

    text: '{"$":{"$URL":["https://a.example/b"]}}',
  },
  {
    name: 'search parameters',
    make: () => new URLSearchParams('a=1&a=2'),

    text: '{"$":{"$URLSearchParams":["a","1","a","2"]}}',
  },
  {
    name: 'headers',
    make: () => new Headers([['a', 'b']]),

    text: '{"$":{"$Headers":["a","b"]}}',
  },
  {
    name: 'a response without body',
    make: () => new Response(null, { status: 204 }),

    text: '{"$":{"$Response":[204,"",{"$Headers":[]},null]}}',
  },
  {
    name: 'a resizable buffer and a view that follows it',
    make: () => new Uint8Array(new ArrayBuffer(2, { maxByteLength: 8 })),

    text: '{"$":{"$Uint8Array":[{"$ArrayBuffer":[{"$bytes":"AAA="},8]},0,{"$undefined":0}]}}',
  },
];

/** An array in an array in an array, so many times. */
function nested(depth: number): unknown[] {
  return depth === 0 ? [] : [nested(depth - 1)];
}
