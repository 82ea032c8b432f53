import { Point } from '../point.ts';
import { byValue, type RowGroup, refused } from '../row.ts';

class Unknown {
  readonly secret = 1;
}

export const CLASSES: RowGroup = {
  heading: 'Classes of one’s own, and what is no value',
  rows: [
    byValue('instances of registered classes', { registered: true, make: () => ({ at: new Point(1, 2) }) }),
    refused('instances of other classes', () => ({ value: new Unknown() })),
    refused('functions', () => ({ value: () => 1 })),
    refused('symbols', () => ({ value: Symbol('a') })),
    refused('WeakMap', () => ({ value: new WeakMap() })),
    refused('Promise', () => ({ value: Promise.resolve(1) })),
  ],
};
