import fc from 'fast-check';
import { graph } from '../arbitrary/graph.ts';
import { type Form, MESSAGE, TEXT } from '../forms.ts';
import { GOLDEN } from '../golden-vectors.ts';
import { MODES, Registered, Revived } from './modes.ts';
import { messageOf } from './mutate-message.ts';

/** Valid encodings, from which mutation starts. */
export interface Corpus {
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
  [new Revived('one', [{ inner: new Revived('two', [new Map([['key', new Revived('three', [])]])]) }])],
  { first: new Registered('a'), second: new Revived('one', [new Registered('b'), 2]) },
];

/** Larger ones take longer to decode and are no better at finding what is wrong. */
const MAX_LENGTH = 300;
const GRAPHS = 400;
const isSmall = ({ length }: { length: number }) => length <= MAX_LENGTH;

/** Makes the corpus of a seed: the golden vectors, and generated values. */
export function makeCorpus(seed: number): Corpus {
  const values = fc.sample(graph, { numRuns: GRAPHS, seed });
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
    text: [...(encodings(TEXT) as string[]), ...GOLDEN.map(({ text }) => text)].filter(isSmall),
    messages: (encodings(MESSAGE) as (string | Uint8Array)[])
      // Every text behind an apostrophe is one: there is nothing to damage.
      .filter((each) => each[0] !== "'")
      .map((each) => (typeof each === 'string' ? messageOf(each, new Uint8Array()) : each))
      .filter(isSmall),
  };
}
