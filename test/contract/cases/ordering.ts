import { part } from '../case.ts';
import { expect } from '../expect.ts';

export const ORDERING = part(
  'ordering',
  [
    {
      name: 'calls of one turn run in the order they were made',
      async run({ stub }) {
        const results = await Promise.all([stub.add(), stub.add(), stub.add(), stub.total]);
        expect(results).toEqual([1, 2, 3, 3]);
      },
    },
    {
      name: 'a hundred calls of one turn run in the order they were made',
      async run({ stub }) {
        const results = await Promise.all(Array.from({ length: 100 }, () => stub.add()));
        expect(results).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
      },
    },
  ],
  ['state'],
);
