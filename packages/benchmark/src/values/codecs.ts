import * as lumenize from '@lumenize/structured-clone';
import * as capnweb from 'capnweb';
// The build for places without code generation. The main build checks at load time whether it may generate code.
// Today's Workers may at that time, but not while they answer requests, so the main build fails on the third object of
// a kind.
import { Encoder } from 'cbor-x/index-no-eval';
import * as devalue from 'devalue';
import { Packr } from 'msgpackr';
import { fromJSON, type SerovalJSON, toJSON } from 'seroval';
import * as superjson from 'superjson';

/** A way to encode and decode a value. Neither function may keep its input. */
export interface Codec {
  readonly name: string;
  /** How the codec is called and configured, if there is a choice. */
  readonly settings: string;
  /** True if encoding and decoding are one step, `decode`. `encode` then returns the value as it is. */
  readonly oneStep?: boolean;
  /** True if Workers do not have the codec. */
  readonly onlyInNode?: boolean;
  /** True if it is not a real codec, and takes part only if the value is bytes. */
  readonly onlyBytes?: boolean;
  /** Returns bytes or text. Throws if it knows that it does not support the value. */
  encode(value: unknown): unknown;
  /** Decodes a value that `encode` returned. */
  decode(encoded: never): unknown;
}

/**
 * One encoder for all messages, as its documentation advises, but without structures shared between messages: a message
 * must be readable without those before it. Of the other settings, `bundleStrings` was slower on every payload and
 * fails on cycles. `pack` takes twice the time for a sixth fewer bytes, and fails on cycles too.
 */
const cbor = new Encoder({ structuredClone: true, useRecords: true });

/** Configured in the same way. Without records it is slower, larger, and loses the values of Maps. */
const packr = new Packr({ structuredClone: true, moreTypes: true, useRecords: true });

/** Resolved at run time and not imported, because Workers do not have it. */
const v8 = (globalThis.process as Partial<NodeJS.Process> | undefined)?.getBuiltinModule?.('node:v8');

function codec<Encoded>(
  name: string,
  settings: string,
  [encode, decode]: readonly [encode: (value: unknown) => Encoded, decode: (encoded: Encoded) => unknown],
  more?: Pick<Codec, 'oneStep' | 'onlyInNode' | 'onlyBytes'>,
): Codec {
  return { name, settings, encode, decode, ...more };
}

/** Every codec, in the order of tables. */
export const CODECS: readonly Codec[] = [
  codec('lumenize', 'encode, decode', [lumenize.encode, lumenize.decode]),
  // The form for storage and logs: JSON with marks.
  codec('lumenize-text', 'stringify, parse', [lumenize.stringify, lumenize.parse]),
  codec('JSON', 'JSON.stringify, JSON.parse', [jsonText, (text) => JSON.parse(text)]),
  // The platform's own function, which returns no bytes. It shows the cost of a value that never leaves the process.
  codec('structuredClone', 'structuredClone', [(value) => value, (value) => structuredClone(value)], {
    oneStep: true,
  }),
  codec('devalue', 'stringify, parse', [(value) => devalue.stringify(value), (text) => devalue.parse(text)]),
  codec('superjson', 'stringify, parse', [superjson.stringify, superjson.parse]),
  // The JSON form. The other form is a program, which Workers and strict pages do not run.
  codec('seroval', 'JSON.stringify of toJSON, fromJSON of JSON.parse', [
    (value) => JSON.stringify(toJSON(value)),
    (text) => fromJSON(JSON.parse(text) as SerovalJSON),
  ]),
  codec('cbor-x', 'Encoder with structuredClone and useRecords, from cbor-x/index-no-eval', [
    (value) => cbor.encode(value),
    (bytes) => cbor.decode(bytes),
  ]),
  codec('msgpackr', 'Packr with structuredClone, moreTypes and useRecords', [
    (value) => packr.pack(value),
    (bytes) => packr.unpack(bytes),
  ]),
  codec('capnweb', 'serialize, deserialize', [capnweb.serialize, (text) => capnweb.deserialize(text)]),
  // Copies bytes into a message and out of it. No codec can be faster for bytes.
  codec('copy', 'bytes.slice() twice', [(value) => (value as Uint8Array).slice(), (bytes) => bytes.slice()], {
    onlyBytes: true,
  }),
  codec(
    'v8',
    'serialize, deserialize of node:v8',
    [(value) => v8!.serialize(value), (bytes) => v8!.deserialize(bytes)],
    { onlyInNode: true },
  ),
];

/** Returns the JSON of a value. Throws if JSON has no text for it: for undefined itself, functions and symbols. */
function jsonText(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError('JSON has no text for it');
  return text;
}

/** Returns the codec called `name`. */
export function codecNamed(name: string): Codec {
  const found = CODECS.find((each) => each.name === name);
  if (!found) throw new Error(`no codec is called ${name}`);
  return found;
}
