import { decode, type EncodeOptions, encode, parse, readBodies, register, stringify } from '@lumenize/structured-clone';
import type { Column } from './column.ts';
import { Point, type PointParts } from './point.ts';

register(Point, {
  name: 'Point',
  encode: ({ x, y }): PointParts => [x, y],
  decode: (parts) => new Point(...(parts as PointParts)),
});

/** Both forms, each with the bodies that were read before. */
export const LUMENIZE_COLUMNS: readonly Column[] = [
  column('lumenize', encode, decode),
  column('lumenize, text', stringify, parse),
];

function column<Encoded>(
  heading: string,
  write: (value: unknown, options?: EncodeOptions) => Encoded,
  read: (encoded: Encoded) => unknown,
): Column {
  return {
    heading,
    encode: async (value) => write(value, { bodies: await readBodies(value) }),
    decode: (encoded: Encoded) => read(encoded),
  };
}
