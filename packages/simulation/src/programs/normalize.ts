import type { MethodSpec, TargetSpec, WaySpec } from './program.ts';

/** Makes of any combination one that a class can have: what is drawn, and what is shortened, need not know what goes together. */
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
  // What was passed by reference is let go of by then.
  if (returns === 'echo' && takes !== 'value') returns = 'number';
  if (delivery === 'restorable' && returns !== 'function') delivery = 'idempotent';
  if (delivery === 'exactlyOnce') {
    // What declares itself to be asynchronous is refused when it is served.
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
  // A getter is asked again like what only reads, and has no arguments.
  if (drawn.isGetter) [delivery, schema] = ['idempotent', 'none'];
  if (drawn.shape === 'sync' || wait === 'abort') wait = 'none';
  return { ...drawn, delivery, schema, wait };
}
