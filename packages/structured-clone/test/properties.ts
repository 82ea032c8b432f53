import { CloneError } from '@lumenize/structured-clone';
import fc from 'fast-check';
import { type Graph, graph, nativeGraph } from './arbitrary/graph.ts';
import { hidden, hide } from './arbitrary/refused.ts';
import { attempt } from './attempt.ts';
import { MIXED, NESTINGS, nest } from './deep.ts';
import { FORMS, roundTrip } from './forms.ts';
import { valueAt } from './graph/parts.ts';
import { type SameGraphOptions, sameGraph } from './graph/same-graph.ts';
import { readSeveral, Several } from './several.ts';

/** What holds for every value that the codec carries; the same in Node, in workerd and in a browser. */
export interface Property {
  readonly name: string;
  /** Tries it on so many values, which the seed decides; throws fast-check's report of the smallest that fails. */
  check(settings: Pick<FuzzSettings, 'runs' | 'seed'>): void;
}

/** How much is tried, and from where; `vitest.config.ts` reads it from the environment. */
export interface FuzzSettings {
  /** Values that each property is tried on. */
  readonly runs: number;
  /** Damaged encodings that are decoded. */
  readonly cases: number;
  readonly seed: number;
}

declare module 'vitest' {
  interface ProvidedContext {
    fuzz: FuzzSettings;
  }
}

export const PROPERTIES: readonly Property[] = FORMS.flatMap((form) => [
  property(`as ${form.name}, any value arrives as it left`, [graph], (original) => {
    // Compared with one that the codec never saw: encoding changes nothing either.
    expectSame(original.make(), roundTrip(form, original.make()));
  }),

  // Where the codec means to do otherwise, values are compared with the original only: it keeps objects without
  // prototype, errors' own names and properties, what AggregateErrors gather, lastIndex, URLs, headers and exceptions,
  // and sends of a lone view no more than it shows.
  property(`as ${form.name}, values arrive as native structuredClone gives them`, [nativeGraph], (original) => {
    const value = original.make();
    let native: unknown;
    try {
      native = structuredClone(value);
    } catch {
      // workerd's writes errors that are in their own cause, and then cannot read them: nothing to compare with.
      return fc.pre(false);
    }
    expectSame(native, roundTrip(form, value), { buffers: 'whole' });
  }),

  property(`as ${form.name}, equal values have equal encodings`, [graph], (original) => {
    expectEqual(form.write(original.make()), form.write(original.make()));
    expectEqual(form.write(original.make()), form.write(original.make(), {}));
  }),

  property(`as ${form.name}, what arrived is sent on as it came`, [graph], (original) => {
    const encoding = form.write(original.make());
    expectEqual(encoding, form.write(form.read(encoding)));
  }),

  property(
    `as ${form.name}, what cannot be sent is found wherever it hides`,
    [graph, hidden],
    (original, { make, place }) => {
      const secret = make();
      const value = hide(original.make(), secret, place);
      expectRefused(() => form.write(value), value, secret);
    },
  ),

  property(
    `as ${form.name}, requests and responses have their headers, nested deep`,
    [fc.integer({ min: 60, max: 70 }), fc.array(fc.nat({ max: 9 }), { maxLength: 4 })],
    (depth, numbers) => {
      const headers = numbers.map((number): [string, string] => [`x-${number % 3}`, `value ${number}`]);
      for (const original of [new Request('http://a.test/', { headers }), new Response(null, { headers })]) {
        let value: unknown = original;
        for (let left = depth; left > 0; left--) value = [value];
        let arrived = roundTrip(form, value);
        while (Array.isArray(arrived)) [arrived] = arrived;
        expectSame([...original.headers], [...(arrived as Response).headers]);
      }
    },
  ),

  {
    name: `as ${form.name}, values of any kind nest as deep as maxDepth lets them as a rule, and no deeper`,
    check() {
      for (const nesting of [...NESTINGS, MIXED]) {
        const deep = nest(nesting, 999);
        expectSame(deep, roundTrip(form, deep));
        const deeper = nest(nesting, 1012);
        const encoding = form.write(deeper, { limits: { maxDepth: 2000 } });
        for (const run of [() => form.write(deeper), () => form.read(encoding)]) {
          const { message } = attempt(run) as CloneError;
          if (message !== 'maxDepth of 1000 exceeded') throw new Error(`${nesting.name}: ${message}`);
        }
      }
    },
  },
]);

/** Adds what is about several values in one message. */
(PROPERTIES as Property[]).push(
  property('values of one message arrive each as it left', [fc.array(graph, { maxLength: 5 })], (originals) => {
    const message = new Several();
    for (const { make } of originals) message.write(make());
    expectArrived(message.finish(), originals);
  }),

  property(
    'a value that is refused takes no other of its message along',
    [fc.array(graph, { maxLength: 3 }), graph, hidden, fc.array(graph, { maxLength: 3 })],
    (before, original, { make, place }, after) => {
      const message = new Several();
      for (const { make } of before) message.write(make());
      const secret = make();
      const value = hide(original.make(), secret, place);
      expectRefused(() => message.write(value), value, secret);
      for (const { make } of after) message.write(make());
      expectArrived(message.finish(), [...before, ...after]);
    },
  ),
);

function property<Inputs extends [unknown, ...unknown[]]>(
  name: string,
  inputs: { [index in keyof Inputs]: fc.Arbitrary<Inputs[index]> },
  holds: (...inputs: Inputs) => void,
): Property {
  return {
    name,
    check: ({ runs, seed }) => fc.assert(fc.property<Inputs>(...inputs, holds), { numRuns: runs, seed }),
  };
}

function expectSame(first: unknown, second: unknown, options?: SameGraphOptions): void {
  const difference = sameGraph(first, second, options);
  if (difference !== undefined) throw new Error(difference);
}

/** Compares encodings by what they say, not by what memory it is in. */
function expectEqual(first: unknown, second: unknown): void {
  const same =
    first instanceof Uint8Array && second instanceof Uint8Array ? sameBytes(first, second) : first === second;
  if (!same) throw new Error(`these encodings are not equal:\n${String(first)}\n${String(second)}`);
}

function sameBytes(first: Uint8Array, second: Uint8Array): boolean {
  return first.length === second.length && first.every((byte, index) => byte === second[index]);
}

function expectArrived(message: string | Uint8Array, originals: readonly Graph[]): void {
  const arrived = readSeveral(message);
  if (arrived.length !== originals.length) throw new Error(`${arrived.length} values instead of ${originals.length}`);
  for (const [index, { make }] of originals.entries()) expectSame(make(), arrived[index]);
}

function expectRefused(write: () => unknown, value: unknown, secret: unknown): void {
  let thrown: unknown;
  try {
    write();
  } catch (error) {
    thrown = error;
  }
  if (thrown === undefined) throw new Error('it was not refused');
  if (!(thrown instanceof CloneError)) throw new Error(`${thrown} is no CloneError`, { cause: thrown });
  if (thrown.path === undefined) throw new Error(`no path: ${thrown.message}`);
  if (valueAt(value, thrown.path) !== secret) throw new Error(`${thrown.path} leads to something else`);
}
