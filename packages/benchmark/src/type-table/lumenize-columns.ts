import * as codec from '@lumenize/structured-clone';
import type { Column } from './column.ts';
import { Point, type PointParts } from './point.ts';

type Options = codec.EncodeOptions & { bodies?: unknown };

/** The parts of the codec that its packages may not have yet; what needs them is refused until they have. */
interface Coming {
  readonly register?: (
    constructor: unknown,
    how: { name: string; encode(point: Point): unknown; decode(payload: unknown): Point },
  ) => void;
  readonly readBodies?: (value: unknown) => Promise<unknown>;
}

const { register, readBodies }: Coming = codec as unknown as Coming;

register?.(Point, {
  name: 'Point',
  encode: ({ x, y }): PointParts => [x, y],
  decode: (parts) => new Point(...(parts as PointParts)),
});

/** Both forms, each with the bodies that were read before. */
export const LUMENIZE_COLUMNS: readonly Column[] = [
  column('lumenize', codec.encode, codec.decode),
  column('lumenize, text', codec.stringify, codec.parse),
];

function column<Encoded>(
  heading: string,
  encode: (value: unknown, options?: Options) => Encoded,
  decode: (encoded: Encoded) => unknown,
): Column {
  return {
    heading,
    encode: async (value) => encode(value, { bodies: await readBodies?.(value) }),
    decode: (encoded: Encoded) => decode(encoded),
  };
}
