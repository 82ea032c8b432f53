import { stringify } from '@lumenize/structured-clone';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { type Plain, withFields } from '../src/fields.ts';
import { changedFields, inOrderOf } from '../src/server/changed-fields.ts';

const { runs, seed } = (inject as (key: string) => { runs: number; seed: number })('fuzz');

const value = fc.oneof(
  fc.integer({ min: 0, max: 2 }),
  fc.constantFrom(null, Number.NaN, -0, '', 'text'),
  fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 2 }),
  fc.date({ min: new Date(0), max: new Date(1), noInvalidDate: true }),
  fc.record({ x: fc.integer({ min: 0, max: 1 }) }),
);
const record = fc.dictionary(fc.constantFrom('a', 'b', 'c', '1', '$x', '__proto__'), value, { noNullPrototype: true });

test('the changed fields make one record of another, also in the order of its fields', () => {
  const property = fc.property(record, record, (before: Plain, after: Plain) => {
    const fields = changedFields(before, after);
    if (fields !== undefined) expect(stringify(withFields(before, fields))).toBe(stringify(after));
  });
  fc.assert(property, { numRuns: runs, seed });
});

test('what is put over a record needs its changed fields only', () => {
  const property = fc.property(record, record, (before: Plain, after: Plain) => {
    const put = inOrderOf(before, after);
    expect(new Map(Object.entries(put))).toEqual(new Map(Object.entries(after)));
    expect(changedFields(before, put)).toBeDefined();
  });
  fc.assert(property, { numRuns: runs, seed });
});

test('fields that are alike are not among them', () => {
  expect(changedFields({ a: [1], b: new Date(1), c: 1 }, { a: [1], b: new Date(1), c: 2 })).toEqual({ c: 2 });
  expect(changedFields({ a: 0 }, { a: -0 })).toEqual({ a: -0 });
  expect(changedFields({ a: 1, b: 2 }, { b: 2, a: 1 })).toBeUndefined();
});
