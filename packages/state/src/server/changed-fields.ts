import { stringify } from '@lumenize/rpc/adapter';
import { type Plain, withFields } from '../fields.ts';

/**
 * Returns the fields that make one record of another, with undefined for those to remove. Returns undefined if they
 * would not: where fields come in another order afterwards.
 */
export function changedFields(before: Plain, after: Plain): Plain | undefined {
  const changed = Object.entries(after).filter(
    ([name, value]) => !Object.hasOwn(before, name) || !isSame(before[name], value),
  );
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const fields = Object.fromEntries([...changed, ...removed.map((name) => [name, undefined])]);
  return hasOrderOf(after, withFields(before, fields)) ? fields : undefined;
}

/** Returns a record with the content of another one, whose fields stay in their order as far as they are in both. */
export function inOrderOf(before: Plain | undefined, record: Plain): Plain {
  const known = Object.keys(before ?? {}).filter((name) => Object.hasOwn(record, name));
  const names = new Set([...known, ...Object.keys(record)]);
  return Object.fromEntries([...names].map((name) => [name, record[name]]).filter(([, value]) => value !== undefined));
}

function hasOrderOf(one: Plain, other: Plain): boolean {
  return Object.keys(one).join('\0') === Object.keys(other).join('\0');
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  return typeof one === 'object' && typeof other === 'object' && stringify(one) === stringify(other);
}
