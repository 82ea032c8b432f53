/** A way to put one value into another, and so again and again. */
export interface Nesting {
  readonly name: string;
  readonly wrap: (inner: unknown) => unknown;
  /** How many levels it makes. @default 1 */
  readonly levels?: number;
}

/** Every container that can be in itself. */
export const NESTINGS: readonly Nesting[] = [
  { name: 'arrays', wrap: (inner) => [inner] },
  { name: 'arrays with holes', wrap: (inner) => [, inner] },
  { name: 'named properties of arrays', wrap: (inner) => Object.assign([], { inner }) },
  { name: 'objects', wrap: (inner) => ({ inner }) },
  { name: 'objects without prototype', wrap: (inner) => Object.assign(Object.create(null), { inner }) },
  { name: 'values of Maps', wrap: (inner) => new Map([['inner', inner]]) },
  { name: 'keys of Maps', wrap: (inner) => new Map([[inner, 'outer']]) },
  { name: 'Sets', wrap: (inner) => new Set([inner]) },
  { name: 'causes of errors', wrap: (cause) => new Error('outer', { cause }) },
  { name: 'errors of AggregateErrors', wrap: (inner) => new AggregateError([inner]), levels: 2 },
  { name: 'properties of errors', wrap: (inner) => Object.assign(new Error('outer'), { inner }) },
];

/** All kinds in turn, in each other. */
export const MIXED: Nesting = {
  name: 'containers of all kinds',
  wrap: (inner) => NESTINGS.reduce((value, { wrap }) => wrap(value), inner),
  levels: NESTINGS.reduce((sum, { levels = 1 }) => sum + levels, 0),
};

/** Nests a value as often as there are levels for, without recursion. */
export function nest({ wrap, levels = 1 }: Nesting, most: number): unknown {
  let value: unknown = { innermost: true };
  for (let left = most; left >= levels; left -= levels) value = wrap(value);
  return value;
}
