import { addExtension as addToCbor } from 'cbor-x/index-no-eval';
import { parse, stringify } from 'devalue';
import { addExtension as addToMsgpack } from 'msgpackr';
import { createPlugin, fromJSON, type SerovalNode, toJSON } from 'seroval';
import { SuperJSON } from 'superjson';
import { capnweb } from '../codecs/capnweb.ts';
import { cborX } from '../codecs/cbor-x.ts';
import type { Codec } from '../codecs/codec.ts';
import { devalue } from '../codecs/devalue.ts';
import { json } from '../codecs/json.ts';
import { msgpackr } from '../codecs/msgpackr.ts';
import { seroval } from '../codecs/seroval.ts';
import { platformClone } from '../codecs/structured-clone.ts';
import { superjson } from '../codecs/superjson.ts';
import type { Column } from './column.ts';
import { LUMENIZE_COLUMNS } from './lumenize-columns.ts';
import { Point, type PointParts } from './point.ts';

const partsOf = ({ x, y }: Point): PointParts => [x, y];
const pointOf = (parts: PointParts): Point => new Point(...parts);

// These two know of a class everywhere once they have been told.
addToCbor<Point, PointParts>({
  Class: Point,
  tag: 43_311,
  encode: (point, encode) => encode(partsOf(point)) as never,
  decode: pointOf,
});
addToMsgpack({ Class: Point, type: 11, write: partsOf, read: pointOf });

const superjsonWithPoint = new SuperJSON();
superjsonWithPoint.registerCustom<Point, number[]>(
  {
    isApplicable: (value): value is Point => value instanceof Point,
    serialize: (point) => [...partsOf(point)],
    deserialize: ([x, y]) => pointOf([x, y]),
  },
  'Point',
);

const serovalPlugins = [
  createPlugin<Point, { x: SerovalNode; y: SerovalNode }>({
    tag: 'Point',
    test: (value) => value instanceof Point,
    parse: { sync: ({ x, y }, context) => ({ x: context.parse(x), y: context.parse(y) }) },
    serialize: () => '',
    deserialize: ({ x, y }, context) => new Point(context.deserialize(x), context.deserialize(y)),
  }),
];

/** Every column of the table, in its order. */
export const COLUMNS: readonly Column[] = [
  ...LUMENIZE_COLUMNS,
  column(platformClone),
  column(json),
  column(devalue, {
    encode: (value) => stringify(value, { Point: (each: unknown) => each instanceof Point && partsOf(each) }),
    decode: (text: string) => parse(text, { Point: pointOf }),
  }),
  column(superjson, {
    encode: (value) => superjsonWithPoint.stringify(value as never),
    decode: (text: string) => superjsonWithPoint.parse(text),
  }),
  column(seroval, {
    encode: (value) => JSON.stringify(toJSON(value, { plugins: serovalPlugins })),
    decode: (text: string) => fromJSON(JSON.parse(text), { plugins: serovalPlugins }),
  }),
  column(cborX),
  column(msgpackr),
  column(capnweb),
];

function column({ name, oneStep, encode, decode }: Codec, registered?: Column['registered']): Column {
  return { heading: name, oneStep, encode, decode, registered };
}
