import type { MethodSpec, TargetSpec, WaySpec } from './program.ts';

/**
 * Turns any combination into one that a class can have. Drawing and shrinking therefore need not know which properties
 * go together.
 */
export function normalizeTarget({ methods, ways, topics, options }: TargetSpec): TargetSpec {
  return {
    methods: methods.map((method) => normalizeMethod(method, topics.length > 0)),
    ways: ways.map(normalizeWay),
    topics,
    options,
  };
}

function normalizeMethod(drawn: MethodSpec, hasTopics: boolean): MethodSpec {
  let { shape, wait, delivery, guard, schema, does, takes, returns, ends } = drawn;
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
    takes = 'value';
    if (does === 'read') does = 'effect';
  } else if (takes !== 'value' && takes !== 'callback' && shape === 'sync') shape = 'async';
  if (shape === 'sync' || delivery === 'exactlyOnce') {
    wait = 'none';
    if (does === 'counter') does = 'effect';
  }
  if (does === 'read' || delivery === 'readOnly') ends = undefined;
  return { ...drawn, shape, wait, delivery, guard, schema, does, takes, returns, ends };
}

function normalizeWay(drawn: WaySpec): WaySpec {
  let { delivery, schema, wait } = drawn;
  if (delivery === 'exactlyOnce' || delivery === 'readOnly') delivery = 'idempotent';
  // A getter is read again like a read-only method, and has no arguments.
  if (drawn.isGetter) [delivery, schema] = ['idempotent', 'none'];
  if (drawn.shape === 'sync' || wait === 'abort') wait = 'none';
  return { ...drawn, delivery, schema, wait };
}
