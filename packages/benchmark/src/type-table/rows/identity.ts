import { byValue, type RowGroup } from '../row.ts';

const inItself = () => {
  const object: Record<string, unknown> = { name: 'a' };
  object.self = object;
  return object;
};
const inArray = () => {
  const array: unknown[] = [1];
  array.push(array);
  return array;
};
const inMap = () => {
  const map = new Map<unknown, unknown>();
  return map.set('self', map).set(map, 'key');
};
const inSet = () => {
  const set = new Set<unknown>();
  return set.add(set);
};
const sharedObject = () => {
  const shared = { a: 1 };
  return { first: shared, second: [shared, { deep: shared }] };
};
const sharedDate = () => {
  const date = new Date(5);
  return [date, date, new Date(5)];
};
const keyOfMap = () => {
  const key = { id: 1 };
  return {
    key,
    map: new Map<unknown, unknown>([
      [key, 'a'],
      [{ id: 1 }, 'b'],
    ]),
  };
};

export const IDENTITY: RowGroup = {
  heading: 'Identity',
  rows: [
    byValue(
      'cycles',
      { label: 'object', make: inItself },
      { label: 'array', make: inArray },
      { label: 'Map', make: inMap },
      { label: 'Set', make: inSet },
    ),
    byValue('an object in several places', { label: 'plain', make: sharedObject }, { label: 'Date', make: sharedDate }),
    byValue('keys of Maps, and where else they are', keyOfMap),
  ],
};
