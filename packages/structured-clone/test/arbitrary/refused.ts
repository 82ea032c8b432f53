import fc from 'fast-check';
import { brandOf, objectsIn } from '../graph/parts.ts';
import { defineOne } from './kind.ts';

class Point {
  x = 1;
}

/** Says that it is a Map, which it is not. */
class Impostor {
  get [Symbol.toStringTag](): string {
    return 'Map';
  }
}

/** Makes values that no codec should carry, or turn into something else. */
const REFUSED: Readonly<Record<string, () => unknown>> = {
  symbol: () => Symbol('secret'),
  'registered symbol': () => Symbol.for('secret'),
  'boxed symbol': () => Object(Symbol('secret')),
  function: () => () => 1,
  class: () => class Anything {},
  WeakMap: () => new WeakMap(),
  WeakSet: () => new WeakSet(),
  WeakRef: () => new WeakRef({}),
  Promise: () => Promise.resolve(),
  iterator: () => [][Symbol.iterator](),
  generator: () => (function* () {})(),
  'instance of a class': () => new Point(),
  'instance of a class that lies': () => new Impostor(),
};

/** A value that is refused, made when it is needed, and where to hide it. */
export interface Hidden {
  readonly make: () => unknown;
  /** Which of the places of a graph, of as many as there are. */
  readonly place: number;
}

export const hidden: fc.Arbitrary<Hidden> = fc
  .tuple(fc.constantFrom(...Object.keys(REFUSED)), fc.nat())
  .map(([name, place]) => ({ make: REFUSED[name], place, [fc.toStringMethod]: () => `${name} at ${place}` }));

/** Puts a value somewhere into a graph, and returns the graph; where there is no place for it, the value itself. */
export function hide(root: unknown, secret: unknown, place: number): unknown {
  const places = [...objectsIn(root)].flatMap((object) => placesIn(object));
  if (places.length === 0) return secret;
  places[place % places.length](secret);
  return root;
}

function placesIn(object: object): ((secret: unknown) => void)[] {
  const asProperty = (secret: unknown) => defineOne(object, 'secret', secret);
  switch (brandOf(object)) {
    case 'Object':
      return [asProperty];
    case 'Array':
      return [asProperty, (secret) => (object as unknown[]).push(secret)];
    case 'Map':
      return [
        (secret) => (object as Map<unknown, unknown>).set('secret', secret),
        (secret) => (object as Map<unknown, unknown>).set(secret, 'secret'),
      ];
    case 'Set':
      return [(secret) => (object as Set<unknown>).add(secret)];
    case 'Error':
      return [asProperty, (secret) => defineOne(object, 'cause', secret, false)];
    default:
      return [];
  }
}
