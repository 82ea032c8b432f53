import { createEncoder, encode } from '@lumenize/structured-clone';
import fc from 'fast-check';
import { type Graph, graph } from '../arbitrary/graph.ts';
import { type Form, MESSAGE, TEXT } from '../forms.ts';
import { GOLDEN } from '../golden-vectors.ts';
import { MODES, Registered, Revived } from './modes.ts';
import { messageOf } from './mutate-message.ts';

/** Valid encodings, from which mutation starts. */
export interface Corpus {
  readonly bytes: readonly Uint8Array[];
  readonly text: readonly string[];
  readonly messages: readonly Uint8Array[];
}

/** Values whose bytes are told only asynchronously: here they are known beforehand. */
const WITH_BODIES: readonly (() => object)[] = [
  () => new Blob(['blob'], { type: 'text/plain' }),
  () => new File(['file'], 'name.txt', { type: 'text/plain', lastModified: 5 }),
  () => new Request('https://example.com/', { method: 'POST', body: 'body', headers: { a: 'b' } }),
  () => new Request('https://example.com/'),
  () => new Response('body', { status: 404, statusText: 'no', headers: { a: 'b' } }),
  () => new Response(null, { status: 204 }),
];

const EXTENSIONS = [
  new Registered('text'),
  [new Revived(1, { inner: new Revived(2, new Map([['key', new Revived(3, [])]])) })],
  { first: new Registered('a'), second: new Revived(1, new Registered('b')) },
];

/** Larger ones take longer to decode and are no better at finding what is wrong. */
const MAX_LENGTH = 300;
const GRAPHS = 400;
const isSmall = ({ length }: { length: number }) => length <= MAX_LENGTH;

/** Makes the corpus of a seed: the golden vectors, generated values, and messages of several. */
export function makeCorpus(seed: number): Corpus {
  const values = fc.sample(graph, { numRuns: GRAPHS, seed });
  const messages = fc.sample(fc.array(graph, { minLength: 2, maxLength: 4 }), { numRuns: GRAPHS / 8, seed });
  const withBodies = [...WITH_BODIES.map((make) => make()), new FormData()].map((value) => ({
    value: [value],
    options: { bodies: new Map([[value, new TextEncoder().encode('body')]]) },
  }));
  const encodings = ({ write }: Form) => [
    ...EXTENSIONS.map((value) => write(value, MODES.strangers.encode)),
    ...withBodies.map(({ value, options }) => write(value, options)),
    ...values.map(({ make }) => write(make())),
  ];
  return {
    bytes: [
      ...EXTENSIONS.map((value) => encode(value, MODES.strangers.encode)),
      ...withBodies.map(({ value, options }) => encode(value, options)),
      ...GOLDEN.map(({ bytes }) => Uint8Array.from(bytes.split(' '), (byte) => Number.parseInt(byte, 16))),
      ...[...values.map((value) => [value]), ...messages].map(encodeAll),
    ].filter(isSmall),
    text: [...(encodings(TEXT) as string[]), ...GOLDEN.map(({ text }) => text)].filter(isSmall),
    messages: (encodings(MESSAGE) as (string | Uint8Array)[])
      .map((each) => (typeof each === 'string' ? messageOf(each, new Uint8Array()) : each))
      .filter(isSmall),
  };
}

function encodeAll(graphs: readonly Graph[]): Uint8Array {
  const encoder = createEncoder();
  for (const { make } of graphs) encoder.write(make());
  return encoder.finish();
}
