import { byValue, type RowGroup } from '../row.ts';

const moved = () => Object.assign(/a(?<name>b)+/gi, { lastIndex: 3 });
const box = (value: unknown) => () => Object(value);

export const BUILT_INS: RowGroup = {
  heading: 'Built-in classes',
  rows: [
    byValue('Date', () => [new Date(0), new Date('2026-11-20T12:34:56.789Z'), new Date(-8.64e15)]),
    byValue('invalid Date', () => new Date(Number.NaN)),
    byValue('RegExp with flags', () => [/a+/, /[/\]]\n"/dgimsuy, /\p{L}/v]),
    byValue('lastIndex of a RegExp', moved),
    byValue(
      'Map',
      () =>
        new Map<unknown, unknown>([
          ['a', 1],
          [2, new Map([[true, null]])],
          [Number.NaN, 'x'],
        ]),
    ),
    byValue('Set', () => new Set<unknown>(['a', 1, new Set([null]), undefined])),
    byValue(
      'boxed primitives',
      { label: 'Number', make: box(5) },
      { label: 'String', make: box('text') },
      { label: 'Boolean', make: box(false) },
      { label: 'BigInt', make: box(5n) },
    ),
  ],
};
