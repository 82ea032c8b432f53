import fc from 'fast-check';
import { type Kind, kind } from './kind.ts';
import { bigint, number, text } from './primitives.ts';

const time = fc.oneof(
  fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }),
  fc.constantFrom(0, -1, 8.64e15, -8.64e15, Number.NaN),
);

const SOURCES = ['', 'a+', '(a+)+$', '/', '\\/', '[/]', '\\n', '\n', '(?<year>\\d{4})', '\\u{1F600}', 'é|😀'];
const FLAGS = ['', 'g', 'i', 'm', 's', 'u', 'y', 'd', 'v', 'gi', 'dgimsuy', 'dgimsvy'];

/** Patterns with flags that they go with, and that are not too new for this runtime. */
const PATTERNS = SOURCES.flatMap((source) => FLAGS.map((flags) => ({ source, flags }))).filter(({ source, flags }) => {
  try {
    return new RegExp(source, flags).flags === flags;
  } catch {
    return false;
  }
});

/** Text that a header may have, and not begin or end with: it is joined with others, and blanks at the ends are dropped. */
const headerText = fc
  .string({ unit: fc.constantFrom(...'abcXYZ019 ;=,-"'), maxLength: 20 })
  .map((value) => `<${value}>`);
const headerName = fc.constantFrom('accept', 'Content-Type', 'X-Custom', 'set-cookie', 'x-other');

/** Kinds of objects that nothing else is in. */
export const LEAVES: readonly Kind[] = [
  kind({ name: 'date', plan: time, nativePlan: time, make: (milliseconds) => new Date(milliseconds) }),
  kind({
    name: 'RegExp',
    plan: fc.tuple(fc.constantFrom(...PATTERNS), fc.oneof(fc.constant(0), fc.nat())),
    // Natively the place where the next match begins is forgotten.
    nativePlan: fc.tuple(fc.constantFrom(...PATTERNS), fc.constant(0)),
    make: ([{ source, flags }, lastIndex]) => Object.assign(new RegExp(source, flags), { lastIndex }),
  }),
  kind({
    name: 'boxed primitive',
    plan: fc.oneof<fc.Arbitrary<unknown>[]>(fc.boolean(), number, text, bigint),
    nativePlan: fc.oneof<fc.Arbitrary<unknown>[]>(fc.boolean(), number, text, bigint),
    make: (primitive) => Object(primitive) as object,
  }),
  kind({
    name: 'URL',
    plan: fc.webUrl({ withQueryParameters: true, withFragments: true }),
    make: (url) => new URL(url),
  }),
  kind({
    name: 'URLSearchParams',
    plan: fc.array(fc.tuple(text, text), { maxLength: 4 }),
    make: (pairs) => new URLSearchParams(pairs),
  }),
  kind({
    name: 'Headers',
    plan: fc.array(fc.tuple(headerName, headerText), { maxLength: 4 }),
    make(pairs) {
      const headers = new Headers();
      for (const [name, value] of pairs) headers.append(name, value);
      return headers;
    },
  }),
  kind({
    name: 'DOMException',
    plan: fc.tuple(text, fc.oneof(fc.constantFrom('AbortError', 'DataCloneError', 'Error', ''), text)),
    make: ([message, name]) => new DOMException(message, name),
  }),
];
