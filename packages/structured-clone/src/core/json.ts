import { ownProperty } from './own-property.ts';

/**
 * Returns the JSON of data as it is. A page may have given arrays, or all objects, a method `toJSON`, as Prototype.js
 * does. JSON would call it, and write what it returns instead.
 */
export function toJson(data: unknown): string {
  return JSON.stringify('toJSON' in [] ? inheritingNothing(data) : data);
}

function inheritingNothing(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return data;
  const copy = Object.setPrototypeOf(Array.isArray(data) ? [] : {}, null);
  for (const [key, item] of Object.entries(data)) ownProperty(copy, key, inheritingNothing(item));
  return copy;
}
