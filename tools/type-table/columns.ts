import * as lumenize from '@lumenize/structured-clone';
import { addExtension as addToCbor } from 'cbor-x/index-no-eval';
import { parse, stringify } from 'devalue';
import { addExtension as addToMsgpack } from 'msgpackr';
import { createPlugin, fromJSON, type SerovalNode, toJSON } from 'seroval';
import { SuperJSON } from 'superjson';
import { type Codec, codecNamed } from '../../packages/benchmark/src/values/codecs.ts';
import { Point } from './point.ts';

/** How a value is sent and read. */
type Way = Pick<Codec, 'encode' | 'decode'>;

/** A codec's column: how a value is sent and read, which may need something done beforehand. */
export interface Column extends Way, Pick<Codec, 'oneStep'> {
  readonly heading: string;
  /** The same after the codec has been told of the class `Point`, where it can be. */
  readonly registered?: Way | undefined;
}

/** What stands for a point while it travels. */
type Parts = readonly [x: number, y: number];

const partsOf = ({ x, y }: Point): Parts => [x, y];
const pointOf = (parts: Parts): Point => new Point(...parts);

// These know of a class everywhere once they have been told.
lumenize.register(Point, { name: 'Point', encode: partsOf, decode: (parts) => pointOf(parts as Parts) });
addToCbor<Point, Parts>({
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

/** Every column of the table, in its order. Both forms of lumenize are given the bodies that were read before. */
export const COLUMNS: readonly Column[] = [
  {
    heading: 'lumenize',
    encode: async (value) => lumenize.encode(value, { bodies: await lumenize.readBodies(value) }),
    decode: (bytes: Uint8Array) => lumenize.decode(bytes),
  },
  {
    heading: 'lumenize, text',
    encode: async (value) => lumenize.stringify(value, { bodies: await lumenize.readBodies(value) }),
    decode: (text: string) => lumenize.parse(text),
  },
  column('structuredClone'),
  column('JSON'),
  column('devalue', {
    encode: (value) => stringify(value, { Point: (each: unknown) => each instanceof Point && partsOf(each) }),
    decode: (text: string) => parse(text, { Point: pointOf }),
  }),
  column('superjson', {
    encode: (value) => superjsonWithPoint.stringify(value as never),
    decode: (text: string) => superjsonWithPoint.parse(text),
  }),
  column('seroval', {
    encode: (value) => JSON.stringify(toJSON(value, { plugins: serovalPlugins })),
    decode: (text: string) => fromJSON(JSON.parse(text), { plugins: serovalPlugins }),
  }),
  column('cbor-x'),
  column('msgpackr'),
  column('capnweb'),
];

function column(name: string, registered?: Way): Column {
  return { heading: name, ...codecNamed(name), registered };
}
