import fc from 'fast-check';
import { ERROR_FIELDS } from '../graph/parts.ts';
import { define, defineOne, type Entry, entries, type Kind, kind, type Slot, slot } from './kind.ts';
import { key, text } from './primitives.ts';

const CLASSES = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

interface ErrorPlan {
  readonly type: keyof typeof CLASSES;
  readonly message: string | undefined;
  /** A name that its class does not give it, and whether it is enumerable, as assigning leaves it. */
  readonly name?: readonly [name: string, enumerable: boolean];
  readonly cause?: Slot;
  readonly properties: readonly Entry[];
}

interface SuppressedPlan extends ErrorPlan {
  readonly both: readonly [error: Slot, suppressed: Slot];
}

interface AggregatePlan extends ErrorPlan {
  readonly errors: readonly Slot[];
}

/** Not the name of another class: that makes it an error of that class, natively too. */
const customName = fc
  .oneof(fc.constantFrom('ValidationError', 'AbortError', '', 'error', '__proto__'), text)
  .filter((name) => !Object.hasOwn(CLASSES, name) && !/^(Aggregate|Suppressed)Error$/.test(name));
const propertyKey = key.filter((name) => !ERROR_FIELDS.includes(name));

const native = {
  type: fc.constantFrom(...(Object.keys(CLASSES) as (keyof typeof CLASSES)[])),
  message: fc.option(text, { nil: undefined }),
  cause: fc.option(slot, { nil: undefined }),
};
const own = {
  name: fc.option(fc.tuple(customName, fc.boolean()), { nil: undefined, freq: 3 }),
  properties: fc.oneof(fc.constant([]), entries(propertyKey)),
};

function fill(made: Error, { name, cause, properties }: ErrorPlan, parts: Parameters<typeof define>[2]): void {
  if (name !== undefined) defineOne(made, 'name', name[0], name[1]);
  if (cause !== undefined) defineOne(made, 'cause', parts.of(cause), false);
  define(made, properties, parts);
}

const SUPPRESSED = kind<SuppressedPlan, SuppressedError>({
  name: 'SuppressedError',
  plan: fc.record({ ...native, ...own, both: fc.tuple(slot, slot) }),
  make: ({ message }) => new SuppressedError(undefined, undefined, message),
  fill(made, plan, parts) {
    fill(made, plan, parts);
    [made.error, made.suppressed] = plan.both.map((place) => parts.of(place));
  },
});

/** Errors carry more here than natively: names of their own, own properties, and what an AggregateError gathers. */
export const ERRORS: readonly Kind[] = [
  kind<ErrorPlan, Error>({
    name: 'error',
    weight: 2,
    plan: fc.record({ ...native, ...own }),
    // workerd's structuredClone gives each a message of its own.
    nativePlan: fc.record({ ...native, message: text, properties: fc.constant([]) }),
    make: ({ type, message }) => new CLASSES[type](message),
    fill,
  }),
  kind<AggregatePlan, AggregateError>({
    name: 'AggregateError',
    plan: fc.record({ ...native, ...own, errors: fc.array(slot, { maxLength: 4 }) }),
    make: ({ message }) => new AggregateError([], message),
    fill(made, plan, parts) {
      fill(made, plan, parts);
      made.errors.push(...plan.errors.map((place) => parts.of(place)));
    },
  }),
  ...('SuppressedError' in globalThis ? [SUPPRESSED] : []),
];
