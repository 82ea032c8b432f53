import type { MethodChange, MethodSpec, TargetSpec, WaySpec } from './program.ts';

/**
 * Turns any combination into one that a class can have. Drawing and shrinking therefore need not know which properties
 * go together.
 */
export function normalizeTarget({ methods, ways, topics, options, next }: TargetSpec): TargetSpec {
  return {
    methods: methods.map((method, index) => {
      // Base classes declare every other method.
      const { baseGuard, ...own } = normalizeMethod(method, topics.length > 0);
      return baseGuard === undefined || index % 2 === 1 ? own : { ...own, baseGuard };
    }),
    ways: ways.map(normalizeWay),
    topics,
    options,
    ...(next && { next: next.slice(0, methods.length) }),
  };
}

/** Returns a method as a version of the class has it; undefined if that version has none. */
export function methodOfVersion(target: TargetSpec, index: number, version: number): MethodSpec | undefined {
  const method = target.methods[index];
  const change = version === 0 ? undefined : target.next?.[index];
  if (change === undefined) return method;
  return change.gone ? undefined : changed(method, change, target.topics.length > 0);
}

/** Applies a change if clients can call the method as before. */
function changed(method: MethodSpec, { delivery, guard }: MethodChange, hasTopics: boolean): MethodSpec {
  const next = normalizeMethod(
    { ...method, ...(delivery !== undefined && { delivery }), ...(guard !== undefined && { guard }) },
    hasTopics,
  );
  const { does, takes, returns } = method;
  return next.does === does && next.takes === takes && next.returns === returns ? next : method;
}

function normalizeMethod(drawn: MethodSpec, hasTopics: boolean): MethodSpec {
  let { shape, wait, delivery, guard, schema, does, takes, returns, ends, baseGuard } = drawn;
  if (!hasTopics && does === 'publish') does = 'effect';
  if (!hasTopics && returns === 'subscription') returns = 'number';
  if (delivery === 'readOnly') does = 'read';
  if (returns === 'subscription' || returns === 'writable') takes = 'value';
  // Anything passed by reference is disposed of by then.
  if (returns === 'echo' && takes !== 'value') returns = 'number';
  if (delivery === 'restorable' && returns !== 'function') delivery = 'idempotent';
  if (delivery === 'exactlyOnce') {
    // A member that declares itself asynchronous is refused when it is served.
    if (shape === 'async') shape = 'sync';
    guard = guard === 'async' || guard === 'late' ? 'promise' : guard;
    schema = schema === 'async' || schema === 'late' ? 'promise' : schema;
    baseGuard = baseGuard === 'async' || baseGuard === 'late' ? 'promise' : baseGuard;
    takes = 'value';
    if (does === 'read') does = 'effect';
  } else if (takes !== 'value' && takes !== 'callback' && shape === 'sync') shape = 'async';
  if (shape === 'sync' || delivery === 'exactlyOnce') {
    wait = 'none';
    if (does === 'counter') does = 'effect';
  }
  if (does === 'read' || delivery === 'readOnly') ends = undefined;
  return {
    ...drawn,
    shape,
    wait,
    delivery,
    guard,
    schema,
    does,
    takes,
    returns,
    ends,
    ...(baseGuard !== undefined && { baseGuard }),
  };
}

function normalizeWay(drawn: WaySpec): WaySpec {
  let { delivery, schema, wait } = drawn;
  if (delivery === 'exactlyOnce' || delivery === 'readOnly') delivery = 'idempotent';
  // A getter is read again like a read-only method, and has no arguments.
  if (drawn.isGetter) [delivery, schema] = ['idempotent', 'none'];
  if (drawn.shape === 'sync' || wait === 'abort') wait = 'none';
  return { ...drawn, delivery, schema, wait };
}

/** Returns true if what a way leads to is found again for each use. */
export function isPlace({ isGetter, delivery }: WaySpec): boolean {
  return isGetter || delivery === 'restorable';
}
