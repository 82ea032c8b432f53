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
  { name: 'an integer', make: () => 300, bytes: 'b4 ac 02 00', text: '300' },
  { name: 'a negative integer', make: () => -2, bytes: 'b5 02 00', text: '-2' },
  { name: '-0', make: () => -0, bytes: 'b7 00 00 00 80 00', text: '{"$number":"-0"}' },
  { name: 'hundredths', make: () => 19.99, bytes: 'b6 9e 1f 00', text: '19.99' },
  { name: 'a float', make: () => Math.PI, bytes: 'b8 18 2d 44 54 fb 21 09 40 00', text: '3.141592653589793' },
  { name: 'NaN', make: () => Number.NaN, bytes: 'b7 00 00 c0 7f 00', text: '{"$number":"NaN"}' },
  { name: 'true', make: () => true, bytes: 'b3 00', text: 'true' },
  { name: 'null', make: () => null, bytes: 'b1 00', text: 'null' },
  { name: 'undefined', make: () => undefined, bytes: 'b0 00', text: '{"$undefined":0}' },
  { name: 'a bigint', make: () => -258n, bytes: 'ba 02 01 02 00', text: '{"$bigint":"-258"}' },
  { name: 'a string', make: () => 'abc', bytes: '43 61 62 63 03', text: '"abc"' },
  { name: 'text that is not ASCII', make: () => 'é😀', bytes: '43 c3 a9 f0 9f 98 80 06', text: '"é😀"' },
  { name: 'a lone surrogate', make: () => '\uD800', bytes: '41 00 d8 80 00 00 02 00 00 00 01 ff', text: '"\\ud800"' },
  { name: 'a string used again', make: () => ['abc', 'abc'], bytes: 'a2 43 80 61 62 63 03', text: '["abc","abc"]' },
  { name: 'an array', make: () => [1, [], 'x'], bytes: 'a3 01 a0 41 78 01', text: '[1,[],"x"]' },
  {
    name: 'holes',
    make: () => Object.assign(new Array(3), { 1: true }),
    bytes: 'a3 be 01 b3 be 01 00',
    text: '[{"$holes":1},true,{"$holes":1}]',
  },
  {
    name: 'an object',
    make: () => ({ a: 1, b: 'x' }),
    bytes: 'c0 02 41 41 01 41 61 62 78 03',
    text: '{"a":1,"b":"x"}',
  },
  {
    name: 'rows',
    make: () => [{ id: 1 }, { id: 2 }],
    bytes: 'a2 c0 01 42 01 60 02 69 64 02',
    text: '[{"id":1},{"id":2}]',
  },
  { name: 'keys with a dollar sign', make: () => ({ $a: 1 }), bytes: 'c0 01 42 01 24 61 02', text: '{"$$a":1}' },
  { name: 'a Map', make: () => new Map([['k', 1]]), bytes: 'd0 01 41 01 6b 01', text: '{"$Map":[1,"k",1]}' },
  { name: 'a Set', make: () => new Set([1, 2]), bytes: 'd1 02 01 02 00', text: '{"$Set":[2,1,2]}' },
  { name: 'a date', make: () => new Date(1000), bytes: 'd2 b4 e8 07 00', text: '{"$Date":[1000]}' },
  { name: 'a RegExp', make: () => /a+/gi, bytes: 'd3 42 42 00 61 2b 67 69 04', text: '{"$RegExp":["a+","gi",0]}' },
  {
    name: 'an error',
    make: () => Object.assign(new TypeError('no', { cause: 1 }), { code: 'E' }),
    bytes: 'd4 05 b0 42 b0 02 44 41 45 01 6e 6f 63 6f 64 65 45 63 61 75 73 65 0c',
    text: '{"$Error":[5,{"$undefined":0},"no",{"$undefined":0},2,"code","E","cause",1]}',
  },
  {
    name: 'an ArrayBuffer',
    make: () => new Uint8Array([1, 2]).buffer,
    bytes: 'd5 02 01 02 00',
    text: '{"$ArrayBuffer":[{"$bytes":"AQI="}]}',
  },
  {
    name: 'bytes',
    make: () => new Uint8Array([1, 2]),
    bytes: 'd6 00 02 01 02 00',
    text: '{"$View":[0,{"$bytes":"AQI="}]}',
  },
  {
    name: 'floats',
    make: () => new Float32Array([1]),
    bytes: 'd6 07 04 00 00 80 3f 00',
    text: '{"$View":[7,{"$bytes":"AACAPw=="}]}',
  },
  {
    name: 'a shared object and a cycle',
    make: () => {
      const list: unknown[] = [{ a: 1 }];
      list.push(list[0], list);
      return list;
    },
    bytes: 'a3 c0 01 41 01 c3 01 c3 00 61 01',
    text: '[{"a":1},{"$reference":1},{"$reference":0}]',
  },
];
