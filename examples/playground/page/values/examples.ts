/** A value to try, as the expression that makes it. */
export interface Example {
  readonly label: string;
  readonly expression: string;
}

export const EXAMPLES: readonly Example[] = [
  { label: 'Map', expression: "new Map([['ada', { born: 1815 }], [{ key: 'an object' }, 2]])" },
  { label: 'Set', expression: "new Set(['a', 'b', 3])" },
  {
    label: 'Cycle',
    expression: "(() => {\n  const ada = { name: 'Ada', friends: [] };\n  ada.friends.push(ada);\n  return ada;\n})()",
  },
  { label: 'Shared', expression: "(() => {\n  const home = { city: 'London' };\n  return [home, home];\n})()" },
  { label: '-0 and NaN', expression: '[-0, NaN, Infinity, -Infinity]' },
  { label: 'undefined', expression: '{ a: undefined, b: null }' },
  { label: 'Holes', expression: '[1, , , 4]' },
  {
    label: 'Views of one buffer',
    expression:
      '(() => {\n  const bytes = new Uint8Array([0, 0, 128, 63]);\n  return { bytes, floats: new Float32Array(bytes.buffer) };\n})()',
  },
  { label: 'bigint', expression: '2n ** 100n' },
  { label: 'Dates', expression: "[new Date('1843-09-05'), new Date(NaN)]" },
  { label: 'RegExp', expression: '/(?<year>\\d{4})-\\d\\d/giu' },
  {
    label: 'Error with cause',
    expression: "new RangeError('out of ink', { cause: new TypeError('no well') })",
  },
  { label: 'URL', expression: "new URL('https://example.com/a?b=c#d')" },
  { label: 'Blob', expression: "new Blob(['ink'], { type: 'text/plain' })" },
  { label: 'Lone surrogate', expression: "'half of 😀: \\ud83d'" },
  {
    label: 'Rows',
    expression: "Array.from({ length: 20 }, (_, id) => ({ id, name: 'row ' + id, price: 19.99, paid: id % 2 === 0 }))",
  },
  {
    label: 'Class instance',
    expression: "{ order: [{ by: new (class Customer {\n  name = 'Ada';\n})() }] }",
  },
];
