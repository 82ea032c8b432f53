/** A way to put one value into another, and so again and again. */
export interface Nesting {
  readonly name: string;
  readonly wrap: (inner: unknown) => unknown;
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
  { name: 'errors of AggregateErrors', wrap: (inner) => new AggregateError([inner]) },
  { name: 'properties of errors', wrap: (inner) => Object.assign(new Error('outer'), { inner }) },
];

/** All kinds in turn, in each other. */
export const MIXED: Nesting = {
  name: 'containers of all kinds',
  wrap: (inner) => NESTINGS.reduce((value, { wrap }) => wrap(value), inner),
};

/** Nests a value so many times, without recursion. */
export function nest({ wrap }: Nesting, times: number): unknown {
  let value: unknown = { innermost: true };
  for (let left = times; left > 0; left--) value = wrap(value);
  return value;
}
